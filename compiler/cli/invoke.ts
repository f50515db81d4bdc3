/** `realmc invoke`: one call of a function, as a server would make it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import { writeWhole } from "../output/write.ts";
import { compilerVersion, installedFolder } from "../package/package.ts";
import { analyse, emitOutput, emitRealm } from "../pipeline.ts";
import { exit, UsageError } from "./exit.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import { runServer } from "./serve.ts";
import type { Terminal } from "./terminal.ts";

export interface InvokeOptions {
  readonly config: string;
  /** Default: `SVC_STORE`, else `sqlite:./data`. */
  readonly store?: string;
  /** A file, or `-`; absent: the empty object. */
  readonly input?: string;
  /** Id of a user. */
  readonly as?: string;
}

/**
 * Builds the realm into a folder that is gone afterwards, and has the server in it call the function once.
 * @param name `<realm>/<database>/<function>`
 * @throws UsageError
 */
export async function invoke(name: string, options: InvokeOptions, terminal: Terminal): Promise<number> {
  const { config, store, input, as } = options;
  const [realm = "", ...rest] = name.split("/");
  if (rest.length !== 2) throw new UsageError("name it by <realm>/<database>/<function>");
  requireFolder(config);
  requireRealm(config, realm);
  const { realms, diagnostics: found } = await analyse(config, { only: realm });
  const diagnostics = withoutHints(found);
  if (hasErrors(diagnostics)) {
    reportDiagnostics(config, diagnostics, { ...terminal.errLook, line: terminal.err });
    return exit.diagnostics;
  }
  const emitted = await Promise.all(realms.map((each) => emitRealm(each)));
  const settings = { compiler: compilerVersion(), previous: undefined, partial: false };
  const plan = await emitOutput(emitted, settings);
  const { bundleServer, nativePackages } = await import("../bundle/bundle.ts");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "realmc-invoke-")));
  try {
    const handlers = realms.flatMap((each) => each.handlers ?? []);
    for (const file of [...(await bundleServer(folder, plan)), ...handlers]) await writeWhole(folder, file);
    for (const each of nativePackages) {
      mkdirSync(dirname(join(folder, "node_modules", each)), { recursive: true });
      symlinkSync(installedFolder(each), join(folder, "node_modules", each));
    }
    const words = [...option("--input", input), ...option("--as", as)];
    return await runServer(
      folder,
      ["invoke", name, ...words],
      store === undefined ? {} : { SVC_STORE: store },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`${name}=${value}`];
}
