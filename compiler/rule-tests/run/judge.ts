/** Runs one test: whether what it says is so, and if not, why not. */
import type { Access } from "../../../runtime/documents/access.ts";
import { FieldRules } from "../../../runtime/documents/field-rules.ts";
import { valueAt } from "../../../runtime/documents/paths.ts";
import { isWithin } from "../../../runtime/filter/fields.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import type { Expected, FieldsTest, ListTest, RuleTest, RuleTestFile, TestAction } from "../rule-tests.ts";
import { accessOf } from "./access.ts";
import { list } from "./lists.ts";
import { call, create, createOrganization, type Outcome, outcomeOf, reach, update } from "./operations.ts";
import { organizationsCreate, type RuleKey } from "./places.ts";
import type { RealmUnderTest, StoredFile, StoredTest } from "./realm.ts";

/** What a failing part of a test was about, so that the rules that it asked can be shown. */
export interface Failure {
  readonly message: string;
  /** The rule that decides such an operation. */
  readonly rule: RuleKey | undefined;
  readonly access: Access;
  readonly document: JsonObject | undefined;
  readonly data: JsonObject | undefined;
}

/** Something that a test asks of a rule, whether the runtime asks it or knows the answer for this caller without. */
export interface AskedRule {
  readonly rule: RuleKey;
  readonly access: Access;
  readonly document: JsonObject | undefined;
  readonly data: JsonObject | undefined;
}

export interface Judgement {
  /** Of its first part that failed. */
  readonly failure: Failure | undefined;
  readonly asked: readonly AskedRule[];
}

/** Of one file, whose documents the realm holds. */
export class Judge {
  readonly #file: RuleTestFile;
  readonly #realm: RealmUnderTest;
  readonly #documents: ReadonlyMap<string, StoredTest>;
  readonly #stored: StoredFile;
  readonly #accesses: ReadonlyMap<string, Access>;

  constructor(file: RuleTestFile, realm: RealmUnderTest, stored: StoredFile) {
    this.#file = file;
    this.#realm = realm;
    this.#stored = stored;
    this.#documents = new Map([...stored.values()].flat().map((each) => [each.name, each]));
    this.#accesses = new Map([...file.callers].map(([name, caller]) => [name, accessOf(caller)]));
  }

  async judge({ action }: RuleTest): Promise<Judgement> {
    const asked: AskedRule[] = [];
    const failure = await this.#failureOf(action, asked);
    return { failure, asked };
  }

  async #failureOf(action: TestAction, asked: AskedRule[]): Promise<Failure | undefined> {
    switch (action.kind) {
      case "create": {
        const { _meta: _, ...data } = action.data;
        const meta = {
          ...(action.org !== undefined && { org: action.org }),
          ...(action.team !== undefined && { team: action.team }),
        };
        const about = this.#about(
          `${action.collection} rules.create`,
          action.as,
          undefined,
          { ...data, _meta: meta },
          asked,
        );
        const outcome = await outcomeOf(() => create(this.#collection(action), about.access, action));
        return unexpected(outcome, action.expected, `create as ${action.as}`, about);
      }
      case "update": {
        const stored = this.#document(action.document);
        const { document } = stored;
        const about = this.#about(
          `${action.collection} rules.update`,
          action.as,
          document,
          { ...document, ...action.body },
          asked,
        );
        const outcome = await outcomeOf(() =>
          update(this.#collection(action), about.access, stored.write, action),
        );
        return unexpected(
          outcome,
          action.expected,
          `${action.change} ${action.document} as ${action.as}`,
          about,
        );
      }
      case "list":
        return this.#list(action, asked);
      case "fields":
        return this.#fields(action, asked);
      case "call": {
        const about = this.#about(`${action.function} invoke`, action.as, undefined, action.input, asked);
        const outcome = await outcomeOf(() => call(this.#realm.instance, about.access, action));
        return unexpected(outcome, action.expected, `call ${action.function} as ${action.as}`, about);
      }
      case "create_organization": {
        const about = this.#about(organizationsCreate, action.as, undefined, undefined, asked);
        const outcome = await outcomeOf(() => createOrganization(this.#realm.instance, about.access));
        return unexpected(outcome, action.expected, `create an organization as ${action.as}`, about);
      }
      default: {
        const collection = this.#collection(action);
        const { status } = action;
        const sides: readonly (readonly ["allow" | "deny", Expected])[] = [
          ["allow", { decision: "allow" }],
          ["deny", { decision: "deny", ...(status !== undefined && { status }) }],
        ];
        for (const [side, expected] of sides) {
          for (const { caller, document } of action[side]) {
            const stored = this.#document(document);
            const place = `${action.collection} rules.${action.kind}`;
            const about = this.#about(place, caller, stored.document, undefined, asked);
            const outcome = await outcomeOf(() => reach(action.kind, collection, about.access, stored));
            const failure = unexpected(outcome, expected, `${action.kind} ${document} as ${caller}`, about);
            if (failure !== undefined) return failure;
          }
        }
        return undefined;
      }
    }
  }

  async #list(action: ListTest, asked: AskedRule[]): Promise<Failure | undefined> {
    const collection = this.#collection(action);
    const documents = this.#stored.get(action.collection) ?? [];
    const rule = `${action.collection} rules.read`;
    const about = this.#about(rule, action.as, undefined, undefined, []);
    for (const stored of documents) this.#about(rule, action.as, stored.document, undefined, asked);
    const { expected } = action;
    const what = `list as ${action.as}`;
    let listed: Awaited<ReturnType<typeof list>> | undefined;
    const outcome = await outcomeOf(async () => {
      listed = await list(this.#realm.instance, collection, about.access, action, documents);
    });
    if (listed === undefined || !("documents" in expected)) {
      const other: Expected = "documents" in expected ? { decision: "allow" } : expected;
      return unexpected(outcome, other, what, about);
    }
    const [first] = listed.differing;
    if (first !== undefined) {
      const isListed = listed.names.includes(first);
      const message = `${what}: the check and the filter of the read rule differ on ${first}: it is ${isListed ? "listed, and" : "not listed, and"} the check says ${isListed ? "no" : "yes"} (this is a mistake of realmc)`;
      return {
        ...this.#about(rule, action.as, this.#document(first).document, undefined, []),
        message,
      };
    }
    const [is, wanted] = expected.ordered
      ? [listed.names, expected.documents]
      : [listed.names.toSorted(), expected.documents.toSorted()];
    if (JSON.stringify(is) === JSON.stringify(wanted)) return undefined;
    const odd = wanted.find((name) => !is.includes(name)) ?? is.find((name) => !wanted.includes(name));
    const message = `${what}: expected ${namesOf(expected.documents)}, and it is ${namesOf(listed.names)}`;
    const document = odd === undefined ? undefined : this.#document(odd).document;
    return { ...about, ...(document === undefined ? { rule: undefined } : { document }), message };
  }

  async #fields(action: FieldsTest, asked: AskedRule[]): Promise<Failure | undefined> {
    const collection = this.#collection(action);
    const stored = this.#document(action.document);
    const { document } = stored;
    const about = this.#about(`${action.collection} rules.read`, action.as, document, undefined, asked);
    const what = `fields of ${action.document} as ${action.as}`;
    const outcome = await outcomeOf(() => reach("read", collection, about.access, stored));
    const unread = unexpected(outcome, { decision: "allow" }, `${what}: read`, about);
    if (unread !== undefined) return unread;
    const { definition } = collection;
    const { context } = about.access;
    const hidden =
      context === undefined
        ? []
        : new FieldRules(definition).hidden(context, document).map((path) => path.join("."));
    const ruleOf = (field: string): RuleKey | undefined => {
      const rule = definition.fieldRules?.find(
        ({ path, read }) => read !== undefined && isWithin(field, path.join(".")),
      );
      return rule === undefined ? undefined : `${action.collection} fields.${rule.path.join(".")}.read`;
    };
    const isHidden = (field: string): boolean => hidden.some((path) => isWithin(field, path));
    for (const field of action.hidden)
      if (!isHidden(field))
        return {
          ...about,
          rule: ruleOf(field),
          message: `${what}: expected ${field} to be hidden, and it is shown`,
        };
    for (const field of action.shown) {
      if (isHidden(field))
        return {
          ...about,
          rule: ruleOf(field),
          message: `${what}: expected ${field} to be shown, and it is hidden`,
        };
      if (valueAt(document, field.split(".")) === undefined)
        return {
          ...about,
          rule: undefined,
          message: `${what}: expected ${field} to be shown, and the document has none`,
        };
    }
    return undefined;
  }

  #collection({ collection }: { readonly collection: string }) {
    return this.#realm.collection(collection);
  }

  #document(name: string): StoredTest {
    const found = this.#documents.get(name);
    if (found === undefined) throw new Error(`${this.#file.path} has no document ${name}`);
    return found;
  }

  #about(
    rule: RuleKey,
    as: string,
    document: JsonObject | undefined,
    data: JsonObject | undefined,
    asked: AskedRule[],
  ): AskedRule {
    const access = this.#accesses.get(as);
    if (access === undefined) throw new Error(`${this.#file.path} has no caller ${as}`);
    const about = { rule, access, document, data };
    asked.push(about);
    return about;
  }
}

function namesOf(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.join(", ");
}

/** The failure, where what came is not what was expected. */
function unexpected(
  outcome: Outcome,
  expected: Expected,
  what: string,
  about: AskedRule,
): Failure | undefined {
  const problem = problemOf(outcome, expected);
  return problem === undefined ? undefined : { ...about, message: `${what}: ${problem}` };
}

function problemOf(outcome: Outcome, expected: Expected): string | undefined {
  if (outcome.decision === "differs")
    return `the check of the read rule says ${outcome.check ? "yes" : "no"}, its filter ${outcome.filter ? "yes" : "no"} (this is a mistake of realmc)`;
  if (outcome.decision === "allow")
    return expected.decision === "allow"
      ? undefined
      : `expected a refusal${wantedOf(expected)}, and it is allowed`;
  const was = `${outcome.status} ${outcome.code}: ${outcome.told}`;
  if (expected.decision === "allow") return `expected to be allowed, and it is refused (${was})`;
  const { field, status } = expected;
  if (status !== undefined && status !== outcome.status)
    return `expected a refusal with ${status}, and it is ${was}`;
  if (field !== undefined && !outcome.fields.includes(field))
    return `expected a refusal for ${field}, and it is ${was}`;
  return undefined;
}

function wantedOf({ field, status }: Extract<Expected, { readonly decision: "deny" }>): string {
  return `${status === undefined ? "" : ` with ${status}`}${field === undefined ? "" : ` for ${field}`}`;
}
