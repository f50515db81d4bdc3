/** An ajv standalone validator, as emitted into `validate.js`. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly ValidationError[] | null;
}

export interface ValidationError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** The member whose name is wrong, in errors of `propertyNames`. */
  readonly propertyName?: string;
}
