// The material of surfaces and tubes: physically based shading by three.js, with two things put in.
// Colour by a number per vertex, and normals that stay sharp at creases: where the smooth normal leaves the
// triangle's own by more than about 40°, the triangle's own is shown.

import {
  Color, DoubleSide, MeshDepthMaterial, MeshStandardMaterial, RGBADepthPacking, Vector2,
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
  declarations: string;
  /** Fills `fieldPoint`, `fieldNormal` and `fieldScalar`. */
  main: string;
  uniforms: Record<string, IUniform>;
}

const PLAIN: VertexCode = {
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
  #ifndef FLAT_SHADED
    vec3 own = normalize(cross(dFdx(vViewPosition), dFdy(vViewPosition)));
    own *= sign(dot(own, normal)) ;
    normal = normalize(mix(own, normal, smoothstep(0.64, 0.82, dot(own, normal))));
  #endif`;

export function fieldMaterial(shared: FieldUniforms, coloured: boolean, code = PLAIN): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ side: DoubleSide, roughness: 0.72, metalness: 0, color: new Color(1, 1, 1) });
  const tubes = code !== PLAIN;
  material.onBeforeCompile = (shader) => {
    injectVertex(shader, code);
    const off: IUniform<number> = { value: 0 };
    Object.assign(shader.uniforms, shared, coloured ? {} : { fieldOn: off });
    shader.fragmentShader = shader.fragmentShader
      .replace('void main() {', `uniform sampler2D fieldMap; uniform vec2 fieldRange; uniform float fieldOn;
        varying float vFieldScalar;\nvoid main() {`)
      .replace('#include <color_fragment>', `#include <color_fragment>\n${FRAGMENT_COLOUR}`);
    if (!tubes) {
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <normal_fragment_maps>', `#include <normal_fragment_maps>\n${FRAGMENT_NORMAL}`);
    }
  };
  material.customProgramCacheKey = () => `field ${tubes} ${coloured}`;
  return material;
}

/** What tubes cast shadows with; surfaces need nothing special. */
export function depthMaterial(code: VertexCode): MeshDepthMaterial {
  const material = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
  material.onBeforeCompile = (shader) => injectVertex(shader, code);
  material.customProgramCacheKey = () => 'tube depth';
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
