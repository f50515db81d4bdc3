import { nothing } from "../../documents/access.ts";
import type { Interest } from "../../feed/interests.ts";
import { TRUE } from "../../filter/algebra.ts";
import type { JsonObject } from "../../json.ts";
import { kept } from "../../kept.ts";
import { type RealmDefinition, storeNameOf } from "../../realm/definition.ts";
import type { EventDefinition, TriggerDefinition, TriggerRule } from "../../realm/functions.ts";
import type { RuleContext } from "../../realm/rule.ts";
import type { Happening } from "./happenings.ts";

/** A function that runs for what happened. */
export interface Triggered {
  readonly definition: EventDefinition;
  /** It runs for one after another of what happens to a document. */
  readonly ordered: boolean;
}

/** The triggers of a realm, by the collections that they are about. */
export class Triggers {
  readonly #collections = new Map<string, { definition: EventDefinition; trigger: TriggerDefinition }[]>();

  constructor({ functions = [] }: Pick<RealmDefinition, "functions">) {
    for (const definition of functions) {
      if (definition.mode !== "event") continue;
      for (const trigger of definition.triggers) {
        const name = storeNameOf({ database: trigger.database, name: trigger.collection });
        kept(this.#collections, name, () => []).push({ definition, trigger });
      }
    }
  }

  /** Names of collections in the store. */
  get collections(): ReadonlySet<string> {
    return new Set(this.#collections.keys());
  }

  /** What they want to hear of, by the collection's name in the store. */
  get interests(): ReadonlyMap<string, Interest> {
    const interests = [...this.#collections.keys()].map(
      (collection) => [collection, { collection, filter: TRUE, visibility: "live" }] as const,
    );
    return new Map(interests);
  }

  /** The functions that run for it, each once, whichever of its triggers says so. */
  of(happening: Happening, context: RuleContext): readonly Triggered[] {
    const found = new Map<EventDefinition, Triggered>();
    for (const { definition, trigger } of this.#collections.get(happening.storeName) ?? []) {
      if (!trigger.on.includes(happening.event) || !isMet(trigger.when, happening, context)) continue;
      const ordered = trigger.unordered !== true || found.get(definition)?.ordered === true;
      found.set(definition, { definition, ordered });
    }
    return [...found.values()];
  }
}

/** A method, whose parameters TypeScript compares both ways: a document from the store is what the rule's module says it is. */
interface Asked {
  check(context: RuleContext, document: JsonObject, previous: JsonObject): boolean;
}

/** A rule that asks for what is not known is met: whoever runs has to be told rather than not. */
function isMet(
  rule: TriggerRule | undefined,
  { document, previous, written }: Happening,
  context: RuleContext,
): boolean {
  if (rule === undefined) return true;
  const asked: Asked = rule;
  if (previous !== "unknown") return asked.check(context, document, previous ?? nothing);
  try {
    return asked.check(context, written ?? unknowable, unknowable);
  } catch (error) {
    if (error instanceof NotKnown) return true;
    throw error;
  }
}

class NotKnown extends Error {}

const refuse = () => {
  throw new NotKnown();
};

/** A document about which nothing can be asked. */
const unknowable: JsonObject = new Proxy<JsonObject>(
  {},
  { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse },
);
