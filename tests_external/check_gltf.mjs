// Validates a binary glTF file with the validator of its makers (npm package `gltf-validator`), and checks
// the counts of the sample run. Usage: node check_gltf.mjs FILE.glb
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// The package is looked up from the current folder, so that it need not be installed in the repository.
const validator = createRequire(join(process.cwd(), 'package.json'))('gltf-validator');
const file = process.argv[2];
const bytes = new Uint8Array(readFileSync(file));
const report = await validator.validateBytes(bytes, { uri: file, maxIssues: 100 });

for (const message of report.issues.messages) console.log(`${message.code} ${message.pointer ?? ''} ${message.message}`);
const { numErrors, numWarnings } = report.issues;
console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings`);

const { totalVertexCount, animationCount, hasMorphTargets } = report.info;
const expected = totalVertexCount === 943 && animationCount === 1 && hasMorphTargets;
if (!expected) console.log(`unexpected content: ${JSON.stringify(report.info)}`);
process.exit(numErrors === 0 && numWarnings === 0 && expected ? 0 : 1);
