// Bundles the scripts of the page: node build.mjs MODULES OUT. MODULES is the folder of package.json after `npm ci` (its node_modules).
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const [modules, out] = process.argv.slice(2);
const {build} = createRequire(join(modules, 'package.json'))('esbuild');
const here = fileURLToPath(new URL('.', import.meta.url));

await build({
  absWorkingDir: here,
  entryPoints: {report: 'src/report.tsx', analyzer: 'src/analyzer.ts'},
  outdir: out,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'ascii', // they stand in pages and in C++ texts
  legalComments: 'eof', // licences say to keep them
  jsx: 'automatic',
  jsxImportSource: 'preact',
  nodePaths: [join(modules, 'node_modules')],
  logLevel: 'warning',
});
