/** Why a request is allowed or refused: the rule that decides, the clauses of it, and what every part of it comes to. */
import { type Access, nothing } from "../../runtime/documents/access.ts";
import type { Detail } from "../../runtime/errors.ts";
import { kept } from "../../runtime/kept.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import type { RefusedRule } from "../../runtime/realm/refused.ts";
import type { Collection, Realm, RuleSource } from "../model/model.ts";
import type { CompiledRule, CompiledRules } from "../rules/compiled.ts";
import type { World } from "../rules/form/evaluate.ts";
import type { At } from "../rules/form/form.ts";
import { decidingIn, type Traced, traceOf } from "../rules/form/trace.ts";
import { ruleSpan } from "../rules/language/report.ts";
import { attempt, type Request } from "./attempt.ts";
import { evaluatedDefinition } from "./definition.ts";
import { placeName, rulesOf, settingName } from "./places.ts";

/** A part of a rule, where it stands in its file, and what it comes to. */
export interface Part {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** Null where it is absent. */
  readonly value: unknown;
}

/** A rule, asked. */
export interface AskedRule {
  /** `rules.update`, `fields.salary.write`. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A rule with what made it hold or fail. */
export interface Judged {
  readonly rule: AskedRule;
  /** The clauses that decide, in the order of the text. */
  readonly deciding: readonly Part[];
  /** All parts but literals, from the whole to its parts. */
  readonly values: readonly Part[];
}

export interface Decision {
  readonly decision: "allow" | "deny";
  /** What HTTP answers. */
  readonly status: number;
  /** Of the error. */
  readonly code?: string;
  /** In a sentence. */
  readonly because: string;
  /** Where the request is refused for what it says, no rule decides: what is wrong with it. */
  readonly details?: readonly Detail[];
  /** Null where none is asked, or none is declared. */
  readonly rule: AskedRule | null;
  readonly deciding: readonly Part[];
  readonly values: readonly Part[];
  /** Paths of fields that the caller does not see. */
  readonly hidden: readonly string[];
  /** Of each of them that has a rule of its own, the rule. */
  readonly hiding: readonly (Judged & { readonly path: string })[];
}

/** The rules of a collection, and where they stand. */
export interface Rules {
  readonly realm: Realm;
  readonly collection: Collection;
  readonly rules: CompiledRules;
}

/** Documents of realms with `auth: disabled` have no rules: everything that is well-formed is allowed. */
export function decide(of: Rules, access: Access, request: Request): Decision {
  const { realm, collection, rules } = of;
  const definition = kept(definitions, rules, () => evaluatedDefinition(realm, collection, rules));
  const outcome = attempt(definition, access, request);
  const judged = outcome.by === undefined ? undefined : judgedBy(of, withRequest(outcome.by, request));
  const asked = {
    rule: judged?.rule ?? null,
    deciding: judged?.deciding ?? [],
    values: judged?.values ?? [],
  };
  if (outcome.decision === "deny") {
    const { status, code, details, message } = outcome.error;
    return {
      decision: "deny",
      status,
      code,
      because: refusalWords(of, outcome.by, judged) ?? message,
      ...(details.length > 0 && { details }),
      ...asked,
      hidden: [],
      hiding: [],
    };
  }
  const { status, hidden, by } = outcome;
  return {
    decision: "allow",
    status,
    because:
      access.context === undefined
        ? "no rule is asked: an API key does what its scopes grant"
        : judged === undefined
          ? "no rule is asked: the realm has auth: disabled"
          : `${judged.rule.name} holds`,
    ...asked,
    hidden,
    hiding: hidden.flatMap((path) => {
      const own = by && judgedBy(of, { ...by, rule: `fields.${path}.read`, data: {} });
      return own === undefined ? [] : [{ path, ...own }];
    }),
  };
}

const definitions = new WeakMap<CompiledRules, CollectionDefinition>();

/** Who is refused before anything is read: of what is known of the request all the same. */
function withRequest(by: RefusedRule, request: Request): RefusedRule {
  if (request.operation === "create") {
    const { data, org, team } = request;
    const meta = { ...(org !== undefined && { org }), ...(team !== undefined && { team }) };
    return by.data === nothing ? { ...by, data: { ...data, _meta: meta } } : by;
  }
  return by.document === nothing ? { ...by, document: request.document } : by;
}

/** Why nobody was asked who could have said more, or who refused. */
function refusalWords(
  { collection: { database, name } }: Rules,
  by: RefusedRule | undefined,
  judged: Judged | undefined,
): string | undefined {
  if (by === undefined) return undefined;
  if (by.context === undefined) return `the scopes of the key do not grant it on ${database}/${name}`;
  if (judged === undefined) return `there is no ${by.rule}: nobody may`;
  return `${by.rule} refuses`;
}

/** The rule of a name, asked about these; undefined where none is declared, or nobody asked one. */
export function judgedBy(
  { collection, rules }: Pick<Rules, "collection" | "rules">,
  { rule: name, context, document, data }: Omit<RefusedRule, "realm" | "of">,
): Judged | undefined {
  if (context === undefined) return undefined;
  const found = rulesOf(collection, rules).find(({ place }) => settingName(placeName(place)) === name);
  if (found === undefined) return undefined;
  return judgedRule(name, found.source, found.rule, { context, document, data });
}

/** @param name `rules.update`, `invoke` */
export function judgedRule(name: string, source: RuleSource, rule: CompiledRule, world: World): Judged {
  const part = (at: At, value: unknown): Part => {
    const { file, line, column } = ruleSpan(source, at);
    return { file, line, column, text: source.text.slice(at.start, at.end), value: value ?? null };
  };
  const { file, line } = source.span;
  const parts = flattened(traceOf(rule.written, world));
  return {
    rule: { name, file, line, text: source.text.trim() },
    deciding: decidingIn(rule.written, world).map(({ at }) => {
      const clause = parts.find((each) => isSame(each.at, at));
      return part(at, clause?.value);
    }),
    values: parts.map(({ at, value }) => part(at, value)),
  };
}

/**
 * Without literals, and without what is said of the very same text before: `a != b` is what `a == b` is not, and
 * `document.public` a condition as well as a value, of which the value is of interest where it is no boolean.
 */
function flattened(whole: Traced): readonly Traced[] {
  const parts: Traced[] = [];
  const visit = (traced: Traced): void => {
    const isSaid = parts.some(({ at }) => isSame(at, traced.at)) && typeof traced.value === "boolean";
    if (!isSaid && !literals.has(traced.kind)) parts.push(traced);
    for (const inner of traced.parts) visit(inner);
  };
  visit(whole);
  return parts;
}

function isSame(one: At, other: At): boolean {
  return one.start === other.start && one.end === other.end;
}

const literals: ReadonlySet<Traced["kind"]> = new Set(["literal", "null", "list"]);
