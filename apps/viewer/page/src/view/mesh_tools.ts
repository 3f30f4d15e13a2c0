// Small algorithms on triangle meshes in flat arrays.

/** Vertex normals weighted by triangle area, written into `normals`; not of unit length (the shader sees to that). */
export function vertexNormals(positions: Float32Array, triangles: Uint32Array, normals: Float32Array): void {
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t]!, b = 3 * triangles[t + 1]!, c = 3 * triangles[t + 2]!;
    const ax = positions[a]!, ay = positions[a + 1]!, az = positions[a + 2]!;
    const ux = positions[b]! - ax, uy = positions[b + 1]! - ay, uz = positions[b + 2]! - az;
    const vx = positions[c]! - ax, vy = positions[c + 1]! - ay, vz = positions[c + 2]! - az;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    normals[a]! += nx; normals[a + 1]! += ny; normals[a + 2]! += nz;
    normals[b]! += nx; normals[b + 1]! += ny; normals[b + 2]! += nz;
    normals[c]! += nx; normals[c + 1]! += ny; normals[c + 2]! += nz;
  }
  // Areas of small triangles would underflow in the shader's half-precision varyings on phones.
  for (let i = 0; i < normals.length; i += 3) {
    const x = normals[i]!, y = normals[i + 1]!, z = normals[i + 2]!;
    const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
    normals[i] = x * scale; normals[i + 1] = y * scale; normals[i + 2] = z * scale;
  }
}

/** Every edge once, as pairs of vertices. Edges are sorted as numbers low · n + high, exact below 2⁵³. */
export function uniqueEdges(triangles: Uint32Array, vertices: number): Uint32Array {
  const keys = new Float64Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const a = triangles[t + k]!, b = triangles[t + ((k + 1) % 3)]!;
      keys[t + k] = Math.min(a, b) * vertices + Math.max(a, b);
    }
  }
  keys.sort();
  const edges = new Uint32Array(2 * keys.length);
  let count = 0;
  for (let k = 0; k < keys.length; k++) {
    if (k > 0 && keys[k] === keys[k - 1]) continue;
    edges[count++] = Math.floor(keys[k]! / vertices);
    edges[count++] = keys[k]! % vertices;
  }
  return edges.slice(0, count);
}

/** Whether a mesh is better shown flat: many of its corners leave the smooth normal by more than 40°. */
export function looksFaceted(positions: Float32Array, triangles: Uint32Array, normals: Float32Array): boolean {
  let sharp = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!];
    const u = [0, 1, 2].map((k) => positions[b + k]! - positions[a + k]!) as [number, number, number];
    const v = [0, 1, 2].map((k) => positions[c + k]! - positions[a + k]!) as [number, number, number];
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n) || 1;
    for (const at of [a, b, c]) {
      const cosine = (n[0]! * normals[at]! + n[1]! * normals[at + 1]! + n[2]! * normals[at + 2]!) / length;
      if (cosine < 0.77) sharp++;
    }
    // A quarter of a large mesh tells enough.
    if (t > 60000) break;
  }
  return sharp > 0.2 * Math.min(triangles.length, 60000);
}
