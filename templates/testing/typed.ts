/** What TypeScript says of emitted modules, for tests: those of many collections at once, in one program. */
import { join } from "node:path";
import { compilerOf, hostOf, inWords } from "../../scripts/client/compilers.ts";
import { strictest } from "../../scripts/strictest.ts";
import { root } from "../../scripts/workspace.ts";

/**
 * What is wrong with modules that lie in memory, each at its path in the checkout; undefined for one that is not there.
 * Of other modules only `realmc/runtime` is known: what its own packages declare bears on nothing here.
 */
export function problemsOf(modules: ReadonlyMap<string, string | undefined>): readonly string[] {
  const typescript = compilerOf("@ts-morph/common");
  const { ts } = typescript;
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...strictest,
      lib: ["es2023"],
      types: [],
      module: "nodenext",
      moduleResolution: "nodenext",
      paths: { "realmc/runtime": ["./runtime/index.ts"] },
    },
    root,
  );
  const texts = new Map([...modules].map(([path, text]) => [join(root, path), text]));
  const host = hostOf(typescript, options, texts);
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      text.startsWith(".") || text === "realmc/runtime"
        ? ts.resolveModuleName(text, from, options, host)
        : { resolvedModule: undefined },
    );
  const rootNames = [...texts].flatMap(([path, text]) => (text === undefined ? [] : [path]));
  const program = ts.createProgram({ rootNames, options, host });
  return rootNames.flatMap((path) => {
    const file = program.getSourceFile(path);
    if (file === undefined) throw new Error(`${path} is not compiled`);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map((diagnostic) => inWords(typescript, diagnostic));
  });
}
