// The material of surfaces and tubes: the Phong shading of three.js, with three things put in.
// Colour by a number per vertex; flat or smooth by a uniform; and smooth normals that stay sharp at creases: where the
// smooth normal leaves the triangle's own by more than about 40°, the triangle's own is shown.
//
// All bodies share one program (and all tubes another): compiling a second one costs more than any frame. Phong instead of
// the physically based material for the same reason: half the start of the page was spent compiling that.

import {
  Color, DoubleSide, MeshDepthMaterial, MeshPhongMaterial, RGBADepthPacking, Vector2,
  type IUniform, type Texture, type WebGLProgramParametersWithUniforms,
} from 'three';

/** Numbers that all materials of a scene share. */
export interface FieldUniforms {
  fieldMap: IUniform<Texture>;
  fieldRange: IUniform<Vector2>;
  fieldOn: IUniform<number>;
}

/** Vertex code that replaces the plain attributes, for tubes. */
export interface VertexCode {
  /** Programs of one name are shared. */
  name: string;
  declarations: string;
  /** Fills `fieldPoint`, `fieldNormal` and `fieldScalar`. */
  main: string;
  uniforms: Record<string, IUniform>;
}

/** A material, and the switch between smooth (0) and flat (1). */
export interface FieldMaterial {
  material: MeshPhongMaterial;
  flatness: IUniform<number>;
}

const PLAIN: VertexCode = {
  name: 'surface',
  declarations: 'attribute float scalar;',
  main: 'fieldPoint = position; fieldNormal = normal; fieldScalar = scalar;',
  uniforms: {},
};

const FRAGMENT_COLOUR = /* glsl */ `
  if (fieldOn > 0.5) {
    float t = (vFieldScalar - fieldRange.x) / max(fieldRange.y - fieldRange.x, 1e-30);
    vec3 shown = texture2D(fieldMap, vec2(clamp(t, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
    diffuseColor.rgb = vFieldScalar == vFieldScalar ? shown : vec3(1.0, 0.0, 1.0);
  }`;

const FRAGMENT_NORMAL = /* glsl */ `
  vec3 own = normalize(cross(dFdx(vViewPosition), dFdy(vViewPosition)));
  own *= dot(own, normal) < 0.0 ? -1.0 : 1.0;
  normal = normalize(mix(own, normal, (1.0 - flatness) * smoothstep(0.64, 0.82, dot(own, normal))));`;

export function fieldMaterial(shared: FieldUniforms, coloured: boolean, code = PLAIN): FieldMaterial {
  const material = new MeshPhongMaterial({ side: DoubleSide, color: new Color(1, 1, 1), specular: 0x1c1c1c, shininess: 24 });
  const flatness: IUniform<number> = { value: 0 };
  const fieldOn = coloured ? shared.fieldOn : { value: 0 };
  material.onBeforeCompile = (shader) => {
    injectVertex(shader, code);
    Object.assign(shader.uniforms, shared, { fieldOn, flatness });
    shader.fragmentShader = shader.fragmentShader
      .replace('void main() {', `uniform sampler2D fieldMap; uniform vec2 fieldRange; uniform float fieldOn;
        uniform float flatness; varying float vFieldScalar;\nvoid main() {`)
      .replace('#include <color_fragment>', `#include <color_fragment>\n${FRAGMENT_COLOUR}`)
      .replace('#include <normal_fragment_maps>', `#include <normal_fragment_maps>\n${FRAGMENT_NORMAL}`);
  };
  material.customProgramCacheKey = () => code.name;
  return { material, flatness };
}

/** What tubes cast shadows with; surfaces need nothing special. */
export function depthMaterial(code: VertexCode): MeshDepthMaterial {
  const material = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
  material.onBeforeCompile = (shader) => injectVertex(shader, code);
  material.customProgramCacheKey = () => `${code.name} depth`;
  return material;
}

function injectVertex(shader: WebGLProgramParametersWithUniforms, code: VertexCode): void {
  Object.assign(shader.uniforms, code.uniforms);
  shader.vertexShader = shader.vertexShader
    .replace('void main() {', `${code.declarations}\nvarying float vFieldScalar;\nvoid main() {
      vec3 fieldPoint; vec3 fieldNormal; float fieldScalar;
      { ${code.main} }
      vFieldScalar = fieldScalar;`)
    .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = fieldNormal;')
    .replace('#include <begin_vertex>', 'vec3 transformed = fieldPoint;');
}
