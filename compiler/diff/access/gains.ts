/**
 * Who may do what they could not before: of every column of the matrix, over all callers and documents, not only those of its
 * rows. What cannot be proved not to let anybody in counts.
 */

import {
  type Act,
  accessesOf,
  and,
  fieldRead,
  fieldWrites,
  type Ruled,
  type Way,
} from "../../matrix/accesses.ts";
import { ruleAtItsPlace } from "../../matrix/clauses.ts";
import { configured } from "../../matrix/configured.ts";
import { leftFor, leftForAll } from "../../matrix/known.ts";
import { collectionsOf, placeOf } from "../../matrix/matrix.ts";
import { type Row, rowsOf } from "../../matrix/rows.ts";
import type { Realm } from "../../model/model.ts";
import type { AnalysedRealm } from "../../pipeline.ts";
import { relationOf } from "../../proofs/relation.ts";
import { either, type Room, roomOf, storedAndWritten } from "../../proofs/room.ts";
import { findWitness, type Witness } from "../../proofs/search.ts";
import { type Act as Deed, witnessInWords } from "../../proofs/words.ts";
import type { RulePlace } from "../../rules/compiled.ts";
import { type Condition, valuesIn } from "../../rules/form/form.ts";
import { constant, simplify } from "../../rules/form/simplify.ts";
import { changeInWords, type Ruled as RuleText, ruledBy } from "../rules/clauses.ts";
import { allowed, denied } from "../rules/compare.ts";

/**
 * `gained`: a witness may now. `undecided`: nobody was found who may, but that nobody may is not proved. `new`: somebody may, of
 * what was not there. `given`: a setting gives it, whatever the rules say.
 */
export interface Gain {
  readonly kind: "gained" | "undecided" | "new" | "given";
  readonly realm: string;
  /** `support/tickets`, `support/close invoke`, `default_roles`. */
  readonly where: string;
  /** Undefined of what is no collection. */
  readonly column?: string;
  /** Rows of the matrix that gain; none where it takes several of them at once, or more than a row says. */
  readonly rows: readonly string[];
  /** What changed: clauses with their places, or settings. */
  readonly clauses: readonly string[];
  readonly witness: string;
}

/** Of the collections of a realm, in the order of the matrix. */
export function gainsInCollections(old: AnalysedRealm | undefined, now: AnalysedRealm): readonly Gain[] {
  const before = new Map((old === undefined ? [] : collectionsOf(old)).map((each) => [placeOf(each), each]));
  return collectionsOf(now).flatMap((each) => gainsIn(before.get(placeOf(each)), each, old?.realm));
}

interface Compared {
  readonly column: string;
  readonly act: Act;
  /** Undefined where it could not be done at all. */
  readonly before: Way | undefined;
  readonly after: Way;
}

function gainsIn(old: Ruled | undefined, now: Ruled, oldRealm: Realm | undefined): readonly Gain[] {
  const room = roomBetween(old, now);
  return compared(old, now).flatMap((each) => gainOf(each, old, now, { room, oldRealm }) ?? []);
}

/** What is written fits the schema as it is now; what is stored may be as old as the one before. */
function roomBetween(old: Ruled | undefined, now: Ruled): Room {
  const after = roomOf(now.collection);
  return storedAndWritten(old === undefined ? after : either(roomOf(old.collection), after), after);
}

/** Also fields that have lost their rules, which are free then. */
function compared(old: Ruled | undefined, now: Ruled): readonly Compared[] {
  const before = new Map(
    (old === undefined ? [] : columnsOf(old, now)).map((each) => [keyOf(each), each.way]),
  );
  return columnsOf(now, old ?? now).map(({ column, way }) => ({
    column,
    act: way.act,
    before: before.get(keyOf({ column, way })),
    after: way,
  }));
}

interface Column {
  readonly column: string;
  readonly way: Way;
}

function keyOf({ column, way }: Column): string {
  return `${column} ${way.act}`;
}

/** @param other whose fields with rules have columns, too */
function columnsOf(ruled: Ruled, other: Ruled): readonly Column[] {
  const own = accessesOf(ruled)
    .filter(({ column }) => !column.startsWith("fields."))
    .flatMap(({ column, ways }) => ways.map((way) => ({ column, way })));
  const paths = (of: "read" | "write") => [
    ...new Set(
      [ruled, other].flatMap(({ compiled }) =>
        compiled.fieldRules.flatMap((each) => (each[of] === undefined ? [] : [each.path])),
      ),
    ),
  ];
  return [
    ...own,
    ...paths("read").map((path) => ({ column: `fields.${path}.read`, way: fieldRead(ruled, path) })),
    ...paths("write").flatMap((path) =>
      fieldWrites(ruled, path).map((way) => ({ column: `fields.${path}.write`, way })),
    ),
  ];
}

interface Around {
  readonly room: Room;
  readonly oldRealm: Realm | undefined;
}

const nobody = constant(false, { start: 0, end: 0 });

function gainOf(
  { column, act, before, after }: Compared,
  old: Ruled | undefined,
  now: Ruled,
  { room, oldRealm }: Around,
): Gain | undefined {
  const [was, is] = [before?.condition ?? nobody, after.condition];
  const appConfigs = [...(oldRealm === undefined ? [] : [oldRealm.appConfig]), now.realm.appConfig];
  const judge = (wanted: Condition, unwanted: Condition) => judged(wanted, unwanted, appConfigs, room);
  const whole = judge(leftForAll(is, act), leftForAll(was, act));
  const byDefault = whole === "nobody" ? judgedByDefault(is, was, act, oldRealm, now.realm, judge) : whole;
  const rows = rowsThatGain({ is, was, act, now, oldRealm, isProved: whole === "nobody" }, judge);
  const found = byDefault === "nobody" ? rows.find(({ found: own }) => own !== "nobody")?.found : byDefault;
  if (found === undefined || found === "nobody") return undefined;
  const deed = deeds[act](column);
  const readsClock = after.rules.some(({ rule }) => rule?.facts.readsClock === true);
  return {
    kind: old === undefined && found !== "unknown" ? "new" : found === "unknown" ? "undecided" : "gained",
    realm: now.realm.name,
    where: placeOf(now),
    column,
    rows: rows.filter(({ found: own }) => own !== "nobody" && own !== "unknown").map(({ name }) => name),
    clauses: clausesOf(before, after, old, now),
    witness:
      found === "unknown"
        ? "nobody was found who may now and could not before, but that there is nobody is not proved"
        : witnessInWords(found, "may now", deed, readsClock),
  };
}

type Judged = "nobody" | "unknown" | Witness;

function judged(
  wanted: Condition,
  unwanted: Condition,
  appConfig: readonly Realm["appConfig"][],
  room: Room,
): Judged {
  if (relationOf(wanted, unwanted, [room, room]).forward) return "nobody";
  return findWitness(wanted, unwanted, { appConfig, room }) ?? "unknown";
}

type Judge = (wanted: Condition, unwanted: Condition) => Judged;

/** The same rule may let others in where `app_config` itself is another. */
function judgedByDefault(
  is: Condition,
  was: Condition,
  act: Act,
  old: Realm | undefined,
  now: Realm,
  judge: Judge,
): Judged {
  if (old === undefined || JSON.stringify(old.appConfig) === JSON.stringify(now.appConfig)) return "nobody";
  const readsConfig = [...valuesIn(is)].some((value) => value.kind === "read" && value.root === "appConfig");
  if (!readsConfig) return "nobody";
  return judge(
    leftForAll(configured(is, now.appConfig), act),
    leftForAll(configured(was, old.appConfig), act),
  );
}

interface Asked {
  readonly is: Condition;
  readonly was: Condition;
  readonly act: Act;
  readonly now: Ruled;
  readonly oldRealm: Realm | undefined;
  /** Nobody gains by the rules: then only who a row speaks of may have changed. */
  readonly isProved: boolean;
}

function rowsThatGain(
  { is, was, act, now, oldRealm, isProved }: Asked,
  judge: Judge,
): readonly { readonly name: string; readonly found: Judged }[] {
  const before = new Map((oldRealm === undefined ? [] : rowsOf(oldRealm)).map((row) => [row.name, row]));
  return rowsOf(now.realm).flatMap((row) => {
    const { who } = row;
    const former = before.get(row.name)?.who ?? who;
    if (who.kind === "key" || former.kind === "key") return [];
    if (isProved && sameRow(row, before.get(row.name))) return [];
    const after = leftFor(is, who, act, now.collection);
    const formerly = leftFor(was, former, act, now.collection);
    return [{ name: row.name, found: judge(simplify(and(after.given, after.left)), formerly.left) }];
  });
}

/** A row that is new says nothing of anybody who was there before. */
function sameRow(row: Row, other: Row | undefined): boolean {
  return other === undefined || JSON.stringify(row.who) === JSON.stringify(other.who);
}

const deeds: Readonly<Record<Act, (column: string) => Deed>> = {
  create: (column) => ({ verb: verbOf(column), writes: true, stored: false }),
  update: (column) => ({ verb: verbOf(column), writes: true, stored: true }),
  live: (column) => ({ verb: verbOf(column), writes: false, stored: true }),
  trash: (column) => ({ verb: verbOf(column), writes: false, stored: true }),
};

function verbOf(column: string): string {
  const [, path, of] = /^fields\.(.+)\.(read|write)$/.exec(column) ?? [];
  if (path === undefined) return column === "restore" ? "see and restore" : column;
  return of === "read" ? `see the field ${path} of` : `set the field ${path} of`;
}

/** The rules of the way that are others, in words and with their places; else the settings around it. */
function clausesOf(
  before: Way | undefined,
  after: Way,
  old: Ruled | undefined,
  now: Ruled,
): readonly string[] {
  const places = new Map<string, RulePlace>(
    [...after.rules, ...(before?.rules ?? [])].map(({ place }) => [JSON.stringify(place), place]),
  );
  const told = [...places.values()].flatMap((place) => {
    const at = ruleAtItsPlace(now, place);
    if (old === undefined) return at === undefined ? [] : [at];
    const [was, is] = [textOf(before, place), textOf(after, place)];
    if (was.text === is.text) return [];
    const words = changeInWords(was, is);
    return [at === undefined ? `${placeName(place)}: ${words}` : `${at} (${words})`];
  });
  return told.length > 0 ? told : settingsOf(old, now);
}

function textOf(way: Way | undefined, place: RulePlace): RuleText {
  const rule = way?.rules.find((each) => JSON.stringify(each.place) === JSON.stringify(place))?.rule;
  if (rule !== undefined) return ruledBy(rule);
  return typeof place === "string" ? denied : allowed;
}

function placeName(place: RulePlace): string {
  return typeof place === "string" ? `rules.${place}` : `fields.${place.field}.${place.of}`;
}

function settingsOf(old: Ruled | undefined, now: Ruled): readonly string[] {
  const settings: readonly (readonly [string, (ruled: Ruled) => unknown])[] = [
    ["auth", ({ realm }) => realm.auth],
    ["soft_delete", ({ collection }) => collection.softDelete !== undefined],
    ["organization", ({ collection }) => collection.organization?.required],
    ["teams", ({ collection }) => collection.organization?.teams],
    ["custom_id", ({ collection }) => collection.customId?.is],
    ["app_config", ({ realm }) => realm.appConfig],
    ["organizations.default_roles", ({ realm }) => realm.organizations?.defaultRoles],
  ];
  return settings.flatMap(([name, of]) =>
    old !== undefined && JSON.stringify(of(old)) !== JSON.stringify(of(now)) ? [`the setting ${name}`] : [],
  );
}
