/** `realmc diff --no-new-access`: one answer, and all that speaks against it. */
import { whileReading } from "../../diagnostics/internal-error.ts";
import type { AnalysedRealm } from "../../pipeline.ts";
import { relationOf } from "../../proofs/relation.ts";
import { anything, type Room, roomOfInput } from "../../proofs/room.ts";
import { findWitness } from "../../proofs/search.ts";
import { type Act, witnessInWords } from "../../proofs/words.ts";
import type { CompiledRule } from "../../rules/compiled.ts";
import { diffRealms } from "../diff.ts";
import { changeInWords, ruledBy } from "../rules/clauses.ts";
import { denied } from "../rules/compare.ts";
import { type Gain, gainsInCollections } from "./gains.ts";
import { gainsBySettings } from "./settings.ts";

export interface Verdict {
  readonly result: "PASS" | "FAIL";
  readonly gains: readonly Gain[];
}

/** Both without mistakes. */
export function newAccess(old: readonly AnalysedRealm[], now: readonly AnalysedRealm[]): Verdict {
  const before = new Map(old.map((each) => [each.realm.name, each]));
  const gains = now.flatMap((each) => {
    const former = before.get(each.realm.name);
    return whileReading(`${each.realm.name}/realm.yaml`, () => [
      ...gainsInCollections(former, each),
      ...gainsInRules(former, each),
    ]);
  });
  const all = [...gains, ...gainsBySettings(diffRealms(old, now), agedCaches(old, now))];
  return { result: all.length === 0 ? "PASS" : "FAIL", gains: all };
}

/** Who may create organizations, and call functions. */
function gainsInRules(old: AnalysedRealm | undefined, now: AnalysedRealm): readonly Gain[] {
  const organizations = ruleGain(
    old?.rules.createOrganization,
    now.rules.createOrganization,
    { verb: "create an organization", writes: false, stored: false },
    { where: "organizations.create", room: anything, old, now },
  );
  const functions = now.realm.functions.map((fn) => {
    const place = `${fn.database}/${fn.name}`;
    const isCall = fn.mode === "call";
    const act: Act = { verb: isCall ? "call it with" : "call it", writes: isCall, stored: false };
    const around = { where: `${place} invoke`, room: roomOfInput(fn.input?.schema), old, now };
    return ruleGain(
      old?.rules.functions.get(place)?.invoke,
      now.rules.functions.get(place)?.invoke,
      act,
      around,
    );
  });
  return [organizations, ...functions, ...newTriggers(old, now)].flatMap((gain) => gain ?? []);
}

/** A function that is new is run by whoever writes what triggers it; of one that was there its settings tell. */
function newTriggers(old: AnalysedRealm | undefined, now: AnalysedRealm): readonly Gain[] {
  const before = new Set(old?.realm.functions.map(({ database, name }) => `${database}/${name}`));
  return now.realm.functions.flatMap(({ database, name, triggers, span }): readonly Gain[] => {
    if (before.has(`${database}/${name}`) || triggers.length === 0) return [];
    const written = triggers.map((trigger) => `${trigger.database}/${trigger.collection}`).join(", ");
    return [
      {
        kind: "new",
        realm: now.realm.name,
        where: `${database}/${name} triggers`,
        rows: [],
        clauses: [`${span.file}:${span.line}`],
        witness: `whoever writes in ${written} runs the function, which reaches what its scopes name`,
      },
    ];
  });
}

interface Around {
  readonly where: string;
  readonly room: Room;
  readonly old: AnalysedRealm | undefined;
  readonly now: AnalysedRealm;
}

function ruleGain(
  before: CompiledRule | undefined,
  after: CompiledRule | undefined,
  act: Act,
  { where, room, old, now }: Around,
): Gain | undefined {
  if (after === undefined) return undefined;
  const [was, is] = [before === undefined ? denied : ruledBy(before), ruledBy(after)];
  if (relationOf(is.condition, was.condition, [room, room]).forward) return undefined;
  const appConfig = [...(old === undefined ? [] : [old.realm.appConfig]), now.realm.appConfig];
  const witness = findWitness(is.condition, was.condition, { appConfig, room });
  return {
    kind: witness === undefined ? "undecided" : before === undefined ? "new" : "gained",
    realm: now.realm.name,
    where,
    rows: [],
    clauses: [`${after.origin}: ${changeInWords(was, is)}`],
    witness:
      witness === undefined
        ? "nobody was found who may now and could not before, but that there is nobody is not proved"
        : witnessInWords(witness, "may now", act, after.facts.readsClock),
  };
}

/** Collections with their realms, of which caches may keep answers for longer than before. */
function agedCaches(old: readonly AnalysedRealm[], now: readonly AnalysedRealm[]): ReadonlySet<string> {
  const ages = (realms: readonly AnalysedRealm[]) =>
    new Map(
      realms.flatMap(({ realm }) =>
        realm.databases.flatMap(({ collections }) =>
          collections.map(
            ({ database, name, publicCache }) =>
              [`${realm.name} ${database}/${name}`, publicCache?.maxAge ?? 0] as const,
          ),
        ),
      ),
    );
  const before = ages(old);
  return new Set([...ages(now)].flatMap(([place, age]) => (age > (before.get(place) ?? 0) ? [place] : [])));
}
