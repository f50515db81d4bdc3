/** Configuration changes with the documents that they meet, and what a plan says of each. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../runtime/clock.ts";
import { realmCollections } from "../../../runtime/instance/realm.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { recordConfiguration } from "../../../runtime/realm/recorded.ts";
import type { DocumentWrite } from "../../../runtime/store/contract/document.ts";
import { openStores } from "../../../runtime/store/engines.ts";
import type { ProcessPlace } from "../../../runtime/store/testing/stores.ts";
import { main } from "../../cli/main.ts";
import { hasErrors } from "../../diagnostics/sort.ts";
import { type Sketch, writeRealm } from "../../diff/testing/case.ts";
import { configurationFingerprint, emittedRealm } from "../../output/plan.ts";
import { analyse } from "../../pipeline.ts";
import { loadedRealm } from "../loaded.ts";

export interface PlanCase {
  /** What the store was provisioned with, one after another. */
  readonly was: readonly Sketch[];
  /** What is planned; undefined: the realm is gone. */
  readonly now: Sketch | undefined;
  /** By `<database>.<collection>` and id: members, and `_meta` where it says more than the usual. */
  readonly documents: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly words?: readonly string[];
}

const created = Date.UTC(2026, 2, 1);

/** A document as the server would have stored it. */
export function stored(
  id: string,
  { _meta: more = {}, ...members }: JsonObject,
  form?: number,
): DocumentWrite {
  const at = new Date(created).toISOString();
  const meta: JsonObject = { created_at: at, updated_at: at, version: 1, ...Object(more) };
  const deleted = meta["deleted_at"];
  return {
    ...{ id, version: 1, createdAt: created },
    text: JSON.stringify({ id, ...members, _meta: meta }),
    ...(typeof deleted === "string" && { deletedAt: Date.parse(deleted) }),
    ...(form !== undefined && { form }),
  };
}

/** Has a store provisioned for a configuration folder, as a server would, and documents put in. */
export async function provision(
  place: Pick<ProcessPlace, "location">,
  config: string,
  documents: PlanCase["documents"],
): Promise<void> {
  const { realms, diagnostics } = await analyse(config);
  if (hasErrors(diagnostics))
    throw new Error(diagnostics.map(({ message, span }) => `${span.file}: ${message}`).join("\n"));
  const fingerprint = configurationFingerprint(realms.map(({ realm }) => realm));
  const configuration = {
    realms: Object.fromEntries(
      realms.map(({ realm }) => [realm.name, { ...emittedRealm(realm, []).configuration }]),
    ),
  };
  const { location } = place;
  const stores = await openStores({ location, setting: "SVC_STORE", clock: systemClock, queryTime: 5_000 });
  try {
    for (const analysed of realms) {
      const { definition } = await loadedRealm(analysed);
      const store = await stores.open(definition.name);
      await store.provision(realmCollections(definition));
      const log = { warn: () => undefined };
      const record = { store, realm: definition.name, fingerprint, configuration, clock: systemClock, log };
      await recordConfiguration(record);
      for (const [name, all] of Object.entries(documents)) {
        if (!definition.collections.some((each) => `${each.database}.${each.name}` === name)) continue;
        await store.collection(name).load(Object.entries(all).map(([id, members]) => stored(id, members)));
      }
    }
  } finally {
    await stores.close();
  }
}

export interface Planned {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What the command says of a case. */
export async function planned(
  place: ProcessPlace,
  { was, now, documents, words = [] }: PlanCase,
): Promise<Planned> {
  const folder = mkdtempSync(join(tmpdir(), "realmc-plan-case-"));
  try {
    for (const [at, sketch] of was.entries()) {
      writeRealm(join(folder, `was-${at}`, place.realm), sketch);
      await provision(place, join(folder, `was-${at}`), documents);
    }
    const config = join(folder, "now");
    mkdirSync(config);
    writeRealm(join(config, now === undefined ? "another" : place.realm), now ?? {});
    return await plan(folder, ["now", "--store", place.setting, ...words]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `realmc plan`, with paths of a folder, in this process. */
export async function plan(
  folder: string,
  [config = "", ...words]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Planned> {
  const said = { out: "", err: "" };
  const code = await main(["plan", join(folder, config), ...words], {
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
    environment: { XDG_CACHE_HOME: join(folder, "cache"), ...environment },
  });
  return { code, ...said };
}
