/** Handlers of realms that a build of one realm alone keeps: a bundle needs their modules, and the output holds none. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EmittedFile } from "../../templates/print/code.ts";
import { hasErrors } from "../diagnostics/sort.ts";
import type { RealmManifest } from "../output/manifest.ts";
import type { Plan } from "../output/plan.ts";
import { analyse } from "../pipeline.ts";
import { canonicalJson } from "../source/meaning.ts";

/** A kept realm's handlers are not what its output was built from, so that no module can be made of them. */
export class HandlersMoved extends Error {}

/**
 * The modules that a bundle folder lacks of realms that were not built. Those that are there stay.
 * @throws HandlersMoved
 */
export async function keptHandlers(
  config: string,
  bundle: string,
  { manifest }: Pick<Plan, "manifest">,
  built: string,
): Promise<readonly EmittedFile[]> {
  const files: EmittedFile[] = [];
  for (const [realm, entry] of Object.entries(manifest.realms)) {
    if (realm === built || modulesOf(realm, entry).every((path) => existsSync(join(bundle, path)))) continue;
    files.push(...(await handlersAsBuilt(config, realm, entry)));
  }
  return files;
}

/** Paths in a bundle of what threads load. */
function modulesOf(realm: string, { outputs }: RealmManifest): readonly string[] {
  return Object.keys(outputs).flatMap((path) => {
    const [, database, name] = /^[^/]+\/([^/]+)\/_func\/([^/]+)\/function\.ts$/.exec(path) ?? [];
    return name === undefined ? [] : [`functions/${realm}/${database}/${name}.cjs`];
  });
}

async function handlersAsBuilt(
  config: string,
  realm: string,
  { inputs }: RealmManifest,
): Promise<readonly EmittedFile[]> {
  const { realms, diagnostics } = await analyse(config, { only: realm });
  const found = realms.find((each) => each.realm.name === realm);
  const now = found?.realm.inputs.map(({ path, meaning }) => [path, meaning]) ?? [];
  if (hasErrors(diagnostics) || canonicalJson(Object.fromEntries(now)) !== canonicalJson(inputs))
    throw new HandlersMoved(
      `the bundle lacks handlers of the realm ${realm}, which changed since it was built: build it, too`,
    );
  return found?.handlers ?? [];
}
