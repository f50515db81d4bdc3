import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { writeWhole } from "../output/write.ts";
import { compilerVersion, installedFolder } from "../package/package.ts";
import { type AnalysedRealm, emitOutput, emitRealm } from "../pipeline.ts";

/** Builds realms into the folder of a bundle, which is gone when the work is done. */
export async function inPassingBundle<T>(
  realms: readonly AnalysedRealm[],
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "realmc-bundle-")));
  try {
    await bundleInto(folder, realms);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Writes what a deployed bundle holds, with the packages that it needs from this one's.
 * @param folder its real path
 */
export async function bundleInto(folder: string, realms: readonly AnalysedRealm[]): Promise<void> {
  const emitted = await Promise.all(realms.map((each) => emitRealm(each)));
  const plan = await emitOutput(emitted, {
    ...{ compiler: compilerVersion(), previous: undefined, partial: false },
  });
  const { bundleServer, externalPackages } = await import("../bundle/bundle.ts");
  const handlers = realms.flatMap((each) => each.handlers ?? []);
  for (const file of [...(await bundleServer(folder, plan)), ...handlers]) await writeWhole(folder, file);
  for (const each of externalPackages) {
    mkdirSync(dirname(join(folder, "node_modules", each)), { recursive: true });
    symlinkSync(installedFolder(each), join(folder, "node_modules", each));
  }
}
