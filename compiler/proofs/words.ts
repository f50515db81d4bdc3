/** Witnesses in words. */
import type { JsonValue } from "../../runtime/json.ts";
import { shown } from "../settings/words.ts";
import { canonicalJson } from "../source/meaning.ts";
import type { Unknown } from "./candidates.ts";
import { membershipsKey, now, userKey } from "./candidates.ts";
import { membershipInWords } from "./memberships.ts";
import { chosenOf, type Witness } from "./search.ts";

/** What a rule is asked for. */
export interface Act {
  /** `read`, `see the field salary of`. */
  readonly verb: string;
  /** Whether it sees what is written, and what is stored. */
  readonly writes: boolean;
  readonly stored: boolean;
}

/** `a user with the role lead may no longer read a document {"status":"open"}`. */
export function witnessInWords(witness: Witness, may: string, act: Act, readsClock: boolean): string {
  return `${callerInWords(witness)} ${may} ${actInWords(witness, act)}${circumstancesInWords(witness, readsClock)}`;
}

function callerInWords(witness: Witness): string {
  const { choices, unknowns } = witness;
  if (!choices.has(userKey)) return "any caller";
  if (choices.get(userKey) === undefined) return "an anonymous caller";
  const place = choices.has(membershipsKey)
    ? membershipInWords(choices.get(membershipsKey), claimsInWords(witness))
    : [];
  const traits = [...choices].flatMap(([key, value]) => {
    const unknown = unknowns.get(key);
    return unknown?.root === "user" && unknown.path.length > 0 ? [traitInWords(unknown, value)] : [];
  });
  const without = traits.filter((trait) => trait.startsWith("without"));
  const having = traits.filter((trait) => !trait.startsWith("without")).map((trait) => `with ${trait}`);
  const all = [...having, ...without].concat(place);
  return all.length === 0 ? "a signed-in user" : `a user ${all.join(" and ")}`;
}

function traitInWords({ path }: Unknown, value: JsonValue | undefined): string {
  if (path.join(".") === "roles" && Array.isArray(value)) {
    if (value.length === 0) return "without roles";
    return `the role${value.length === 1 ? "" : "s"} ${value.join(", ")}`;
  }
  return value === undefined
    ? `without ${path.join(".")}`
    : `${path.join(".")} ${shown(canonicalJson(value))}`;
}

function actInWords(witness: Witness, { verb, writes, stored }: Act): string {
  const data = writes ? objectInWords(witness, "data") : undefined;
  if (!stored) return writes ? `${verb} ${data ?? "anything"}` : verb;
  const document = objectInWords(witness, "document") ?? "any document";
  return `${verb} ${document}${data === undefined ? "" : ` by writing ${data}`}`;
}

function claimsInWords({ choices, unknowns }: Witness): readonly string[] {
  const absent = [...choices].flatMap(([key, value]) => {
    const unknown = unknowns.get(key);
    return unknown?.root === "claims" && value === undefined ? [unknown.path.join(".")] : [];
  });
  const present = chosenOf(choices, unknowns)("claims");
  return [
    ...(Object.keys(present).length > 0 ? [`which claims ${canonicalJson(present)}`] : []),
    ...(absent.length > 0 ? [`which claims no ${absent.join(", ")}`] : []),
  ];
}

/** Undefined where it does not matter. */
function objectInWords(
  { choices, unknowns }: Witness,
  root: "document" | "data" | "previous",
): string | undefined {
  const own = [...choices].flatMap(([key, value]) => {
    const unknown = unknowns.get(key);
    return unknown?.root === root ? [{ path: unknown.path.join("."), value }] : [];
  });
  if (own.length === 0) return undefined;
  const itself = own.find(({ path }) => path === "");
  if (itself !== undefined && itself.value === undefined) return "a document that is being created";
  const absent = own.filter(({ path, value }) => path !== "" && value === undefined).map(({ path }) => path);
  const without = absent.length === 0 ? "" : `without ${absent.join(", ")}`;
  const present = chosenOf(choices, unknowns)(root);
  if (Object.keys(present).length > 0) return `${canonicalJson(present)} ${without}`.trim();
  return `a ${itself === undefined ? "" : "stored "}document ${without}`.trim();
}

/** `runs now for {"status":"open"}, which was {"status":"closed"}`; nobody calls. */
export function changeInWitness(witness: Witness, runs: string): string {
  const previous = objectInWords(witness, "previous");
  const was = previous === undefined ? "" : `, which was ${previous}`;
  return `${runs} ${objectInWords(witness, "document") ?? "any document"}${was}${circumstancesInWords(witness, false)}`;
}

function circumstancesInWords({ choices, unknowns }: Witness, readsClock: boolean): string {
  const config = [...choices].flatMap(([key, value]) => {
    const unknown = unknowns.get(key);
    if (unknown?.root !== "appConfig" || unknown.path.length === 0) return [];
    const is = value === undefined ? "is absent" : `is ${shown(canonicalJson(value))}`;
    return [`appConfig.${unknown.path.join(".")} ${is}`];
  });
  const when = config.length === 0 ? "" : ` while ${config.join(" and ")}`;
  return `${when}${readsClock ? ` at ${now}` : ""}`;
}
