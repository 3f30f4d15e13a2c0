// Speeds, from stored velocities or, where a run stores none, from the positions of neighbouring frames.

/** Lengths of 3-vectors. */
export function lengths(vectors: Float32Array): Float32Array {
  const out = new Float32Array(vectors.length / 3);
  for (let i = 0, k = 0; i < out.length; i++, k += 3) {
    out[i] = Math.sqrt(vectors[k]! ** 2 + vectors[k + 1]! ** 2 + vectors[k + 2]! ** 2);
  }
  return out;
}

/** |b − a| / seconds per vertex. */
export function speedsBetween(a: Float32Array, b: Float32Array, seconds: number): Float32Array {
  const out = new Float32Array(a.length / 3);
  for (let i = 0, k = 0; i < out.length; i++, k += 3) {
    const [x, y, z] = [b[k]! - a[k]!, b[k + 1]! - a[k + 1]!, b[k + 2]! - a[k + 2]!];
    out[i] = Math.sqrt(x * x + y * y + z * z) / seconds;
  }
  return out;
}
