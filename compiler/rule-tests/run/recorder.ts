/** What the runtime asks of a realm's rules while a test runs: the emitted rules, with somebody who writes it down. */
import type { JsonObject } from "../../../runtime/json.ts";
import type { CollectionDefinition, RealmDefinition } from "../../../runtime/realm/definition.ts";
import type { FunctionDefinition } from "../../../runtime/realm/functions.ts";
import type { FieldRule, ReadRule, RuleContext, Rules, WriteRule } from "../../../runtime/realm/rule.ts";
import { nameOf } from "../reading.ts";
import { organizationsCreate, type RuleKey } from "./places.ts";

/** A rule that was asked, and what it was asked with. */
export interface Evaluation {
  readonly rule: RuleKey;
  readonly context: RuleContext;
  readonly document: JsonObject | undefined;
  readonly data: JsonObject | undefined;
  readonly holds: boolean;
}

export class Recorder {
  #evaluations: Evaluation[] = [];

  /** Those since it was asked before. */
  take(): readonly Evaluation[] {
    const taken = this.#evaluations;
    this.#evaluations = [];
    return taken;
  }

  note(evaluation: Evaluation): boolean {
    this.#evaluations.push(evaluation);
    return evaluation.holds;
  }

  /** The same realm, whose rules note what they are asked. */
  watched(definition: RealmDefinition): RealmDefinition {
    const { accounts, functions } = definition;
    return {
      ...definition,
      collections: definition.collections.map((each) => this.#collection(each)),
      ...(functions !== undefined && { functions: functions.map((each) => this.#function(each)) }),
      ...(accounts?.organizations !== undefined && {
        accounts: { ...accounts, organizations: this.#organizations(accounts.organizations) },
      }),
    };
  }

  #organizations(settings: NonNullable<NonNullable<RealmDefinition["accounts"]>["organizations"]>) {
    const { create } = settings;
    if (create === undefined) return settings;
    return {
      ...settings,
      create: (context: RuleContext) =>
        this.note({
          rule: organizationsCreate,
          context,
          document: undefined,
          data: undefined,
          holds: create(context),
        }),
    };
  }

  #function(definition: FunctionDefinition): FunctionDefinition {
    if (definition.mode === "event" || definition.invoke === undefined) return definition;
    return { ...definition, invoke: this.#write(`${nameOf(definition)} invoke`, definition.invoke) };
  }

  #collection(definition: CollectionDefinition): CollectionDefinition {
    const { rules, fieldRules } = definition;
    const key = (place: string) => `${nameOf(definition)} ${place}`;
    return {
      ...definition,
      ...(rules !== undefined && { rules: this.#rules(rules, key) }),
      ...(fieldRules !== undefined && { fieldRules: fieldRules.map((each) => this.#fieldRule(each, key)) }),
    };
  }

  #rules(rules: Rules, key: (place: string) => RuleKey): Rules {
    const { create, read, update, delete: remove, restore, purge } = rules;
    return {
      ...(create !== undefined && { create: this.#write(key("rules.create"), create) }),
      ...(read !== undefined && { read: this.#read(key("rules.read"), read) }),
      ...(update !== undefined && { update: this.#write(key("rules.update"), update) }),
      ...(remove !== undefined && { delete: this.#write(key("rules.delete"), remove) }),
      ...(restore !== undefined && { restore: this.#read(key("rules.restore"), restore) }),
      ...(purge !== undefined && { purge: this.#write(key("rules.purge"), purge) }),
    };
  }

  #fieldRule(rule: FieldRule, key: (place: string) => RuleKey): FieldRule {
    const { path, read, write } = rule;
    const place = (of: string): RuleKey => key(`fields.${path.join(".")}.${of}`);
    return {
      path,
      ...(read !== undefined && {
        read: {
          ...read,
          check: (context: RuleContext, document: never) =>
            this.note({
              rule: place("read"),
              ...{ context, document, data: undefined },
              holds: read.check(context, document),
            }),
        },
      }),
      ...(write !== undefined && { write: this.#write(place("write"), write) }),
    };
  }

  #write<Document extends JsonObject | undefined = never>(
    rule: RuleKey,
    own: WriteRule<Document>,
  ): WriteRule<Document> {
    return {
      ...own,
      check: (context, document, data) =>
        this.note({ rule, context, document, data, holds: own.check(context, document, data) }),
    };
  }

  #read(rule: RuleKey, own: ReadRule): ReadRule {
    return {
      ...own,
      check: (context, document) =>
        this.note({ rule, context, document, data: undefined, holds: own.check(context, document) }),
    };
  }
}
