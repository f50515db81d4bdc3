/** What a rule can see and when; `name` is how messages call it. */
export interface RuleScope {
  readonly name: string;
  readonly document: boolean;
  readonly data: boolean;
  /** A field's write rule, which also runs when there is no document yet. */
  readonly documentMayBeAbsent: boolean;
  /** The text serves create, update and delete alike. */
  readonly underWrite: boolean;
  /** Also compiled to a filter. */
  readonly filtered: boolean;
}
