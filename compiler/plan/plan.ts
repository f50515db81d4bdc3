/** What a new configuration means for the documents of a store. */
import type { Clock } from "../../runtime/clock.ts";
import { paced } from "../../runtime/instance/progress.ts";
import { storeNameOf } from "../../runtime/realm/definition.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { whileReading, whileReadingAll } from "../diagnostics/internal-error.ts";
import { configurationFingerprint } from "../output/plan.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import { type Compared, counted, type Finding, finding, type Plan, sortedFindings } from "./finding.ts";
import type { Held } from "./held.ts";
import type { Judge } from "./judge.ts";
import { isSchemaChanged, judgesOf } from "./judges.ts";
import { loadedRealm } from "./loaded.ts";
import { judged } from "./pass.ts";
import { collectionSide, type RealmSides, realmSides } from "./realm-sides.ts";
import type { CollectionSide, CollectionSides } from "./sides.ts";
import { PlanState } from "./state.ts";

export interface PlanRequest {
  readonly held: Held;
  readonly now: readonly AnalysedRealm[];
  /** What was before; default: what stores have recorded. */
  readonly old: readonly AnalysedRealm[] | undefined;
  /** The one realm to look at. */
  readonly only: string | undefined;
  /** Documents of each collection that are looked at at most; default: all. */
  readonly sample: number | undefined;
  readonly clock: Clock;
  /** Says where caches are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Hears of what is done, a line at a time. */
  readonly tell: (line: string) => void;
}

/** @throws NothingRecorded | StoreUnavailable | StoreRefused */
export async function planFor(request: PlanRequest): Promise<Plan> {
  const { held, now, old, only, sample, clock, environment } = request;
  const sides = await realmSides(held, now, old, only);
  const before = old === undefined ? recordedFingerprint(sides) : fingerprintOf(old);
  const after = fingerprintOf(now);
  const state = PlanState.open(
    [held.name, before, after, only, sample === undefined ? undefined : String(sample)],
    environment,
    clock.now(),
  );
  try {
    const findings: Finding[] = [];
    const compared: Compared[] = [];
    for (const realm of sides) {
      const found = await findingsOf(realm, request, state);
      findings.push(...found.findings);
      compared.push(...found.compared);
    }
    state.discard();
    const exact = sample === undefined;
    return { old: before, new: after, findings: sortedFindings(findings), exact, compared };
  } finally {
    state.close();
  }
}

function fingerprintOf(realms: readonly AnalysedRealm[]): string {
  return configurationFingerprint(realms.map(({ realm }) => realm));
}

/** Of the store that was provisioned last; empty where there is none. */
function recordedFingerprint(sides: readonly RealmSides[]): string {
  const last = [...sides].sort((a, b) => ((a.provisionedAt ?? "") < (b.provisionedAt ?? "") ? -1 : 1)).at(-1);
  return last?.fingerprint ?? "";
}

async function findingsOf(
  realm: RealmSides,
  request: PlanRequest,
  state: PlanState,
): Promise<Pick<Plan, "findings" | "compared">> {
  const about = { clock: request.clock, hasOneWriter: request.held.engine === "embedded" };
  const collections = await collectionsIn(realm, about);
  const judges = whileReading(`${realm.name}/realm.yaml`, () =>
    judgesOf(collections.both, (name) => state.spill(name)),
  );
  const ended: (() => readonly Finding[])[] = [];
  for (const sides of collections.both) {
    const own = judges.get(sides.place) ?? [];
    if (own.length > 0) ended.push(await passOver(sides.old, own, { ...request, state, sides }));
  }
  for (const gone of collections.gone)
    ended.push(await passOver(gone.side, [unconfigured(gone)], { ...request, state, sample: undefined }));
  const findings = whileReading(`${realm.name}/realm.yaml`, () => ended.flatMap((told) => told()));
  const compared = collections.both.map((sides) => ({
    ...{ realm: realm.name, place: sides.place, isSchemaChanged: isSchemaChanged(sides) },
  }));
  return { findings, compared };
}

interface Gone {
  readonly side: CollectionSide;
  readonly place: string;
  /** By the change that is planned, and not by one before. */
  readonly isNew: boolean;
}

async function collectionsIn(
  { name, old, now, before, places }: RealmSides,
  about: Pick<CollectionSides, "clock" | "hasOneWriter">,
): Promise<{ readonly both: readonly CollectionSides[]; readonly gone: readonly Gone[] }> {
  const both: CollectionSides[] = [];
  const gone: Gone[] = [];
  let loaded: RealmModule | undefined;
  for (const place of places) {
    const own = old && collectionSide(old, place);
    const was = own ?? (await before(place));
    const is = now && collectionSide(now, place);
    if (was === undefined) continue;
    if (is === undefined || now === undefined) {
      gone.push({ side: was, place, isNew: own !== undefined });
      continue;
    }
    loaded ??= await whileReadingAll(`${name}/realm.yaml`, () => loadedRealm(now));
    const definition = loaded.definition.collections.find(
      (each) => storeNameOf(each) === storeNameOf(is.collection),
    );
    if (definition !== undefined) both.push({ realm: name, place, old: was, now: is, definition, ...about });
  }
  return { both, gone };
}

function passOver(
  { realm, collection }: CollectionSide,
  judges: readonly Judge[],
  {
    held,
    sample,
    state,
    tell,
    sides,
  }: PlanRequest & { readonly state: PlanState; readonly sides?: CollectionSides },
): Promise<() => readonly Finding[]> {
  const place = `${collection.database}/${collection.name}`;
  return judged({
    ...{ key: `${realm.name}/${place}`, judges, sample, state },
    definition: sides?.definition,
    form: held.engine === "server" ? (sides?.old.form ?? 0) : 0,
    documents: (after) => held.documents(realm, collection, after),
    progress: paced((documents: number, seconds) =>
      tell(`${realm.name} ${place}: ${documents} documents, ${Math.round(documents / seconds)}/s`),
    ),
  });
}

function unconfigured({ side: { realm }, place, isNew }: Gone): Judge {
  const path = `${realm.name}/${place}`;
  return {
    looks: false,
    look: () => undefined,
    findings: (_, { documents }) => {
      if (documents === 0) return [];
      const since = isNew ? "is configured no longer" : "has not been configured since before";
      const message = `the collection ${since}: its ${counted(documents)} stay in the store, out of reach, until realmc drop ${path} --yes-delete ${documents}`;
      const severity = isNew ? "destructive" : "safe";
      return [
        finding(
          "collection-unconfigured",
          { realm: realm.name, where: place },
          { count: documents },
          message,
          {
            severity,
          },
        ),
      ];
    },
  };
}
