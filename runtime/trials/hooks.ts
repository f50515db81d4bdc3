/** How Node loads TypeScript, with `realmc/register`: as the handlers of a bundle are made, file by file. */
import { readFile } from "node:fs/promises";
import type { LoadHook } from "node:module";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

/** Files of the project; those of packages are JavaScript. */
const isTypeScript = (url: string): boolean =>
  /^file:.*\.m?ts(?:[?#]|$)/.test(url) && !url.includes("/node_modules/");

export const load: LoadHook = async (url, context, next) => {
  if (!isTypeScript(url)) return next(url, context);
  const path = fileURLToPath(url);
  const { code } = await transform(await readFile(path), {
    ...{ loader: "ts", format: "esm", target: "node20.19", sourcemap: "inline", sourcefile: path },
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return { format: "module", source: code, shortCircuit: true };
};
