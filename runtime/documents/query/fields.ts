import { deletionFields, type Field } from "../../filter/fields.ts";
import type { TextIndex } from "../../filter/search/text-index.ts";
import { kept } from "../../kept.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Access } from "../access.ts";
import { isHidden, mayHide } from "./hidden.ts";
import { comparisons, type Operators, operators } from "./operators.ts";

/** What a caller's queries over a collection may name. */
export interface QueryFields {
  /** Undefined where nothing declares the path, and where it is hidden from the caller: the two are not told apart. */
  field(path: string): Field | undefined;
  /**
   * `hidden`: the index covers a field that is hidden from the caller, or takes the language from one; `not-asked`: these
   * queries do not search.
   */
  readonly text: TextIndex | "not-enabled" | "hidden" | "not-asked";
  /** Names of the references, through which no path leads. */
  readonly references: readonly string[];
  /** Nothing is hidden: callers who see everything share one of these, and what is read with it. */
  readonly everything: boolean;
  /** What may be asked of them. */
  readonly operators: Operators;
}

/** Of callers from whom nothing is hidden. */
const shared = new WeakMap<CollectionDefinition, QueryFields>();

export function queryFields(definition: CollectionDefinition, access: Access): QueryFields {
  if (mayHide(definition, access))
    return fieldsBut(definition, (path) => isHidden(definition, access, path), false);
  return everyField(definition);
}

/** Of queries from which nothing is hidden. */
export function everyField(definition: CollectionDefinition): QueryFields {
  return kept(shared, definition, () => fieldsBut(definition, () => false, true));
}

/** Of subscriptions, which search nothing and know no deleted documents (spec: Realtime stream, Subscription rules 1). */
export function subscriptionFields(definition: CollectionDefinition, access: Access): QueryFields {
  const of = ({ everything, references, field }: QueryFields): QueryFields => ({
    everything,
    references,
    field: (path) => (Object.hasOwn(deletionFields, path) ? undefined : field(path)),
    text: "not-asked",
    operators: comparisons,
  });
  const fields = queryFields(definition, access);
  return fields.everything ? kept(followed, definition, () => of(fields)) : of(fields);
}

const followed = new WeakMap<CollectionDefinition, QueryFields>();

/** The fields of a collection but those that are hidden. */
function fieldsBut(
  definition: CollectionDefinition,
  isHiddenPath: (path: string) => boolean,
  everything: boolean,
): QueryFields {
  const { fields, references = {} } = definition;
  return {
    everything,
    field(path) {
      return Object.hasOwn(fields, path) && !isHiddenPath(path) ? fields[path] : undefined;
    },
    // Looked for only where a query searches.
    get text() {
      return searchable(definition, isHiddenPath);
    },
    references: Object.keys(references),
    operators,
  };
}

function searchable(
  { text }: CollectionDefinition,
  isHiddenPath: (path: string) => boolean,
): QueryFields["text"] {
  if (text === undefined) return "not-enabled";
  const covered = [
    ...text.fields.map(({ field }) => field),
    ...(text.languageField === undefined ? [] : [text.languageField]),
  ];
  return covered.some(({ path }) => isHiddenPath(path)) ? "hidden" : text;
}
