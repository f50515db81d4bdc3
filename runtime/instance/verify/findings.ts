/** What a verification finds. */
export interface Finding {
  readonly realm: string;
  /** `<database>/<collection>`; of the service's own `_svc.<name>`. */
  readonly collection?: string | undefined;
  /** Of a document. */
  readonly id?: string | undefined;
  readonly reason: string;
}

/** Findings that are told one by one; all are counted. */
const TOLD = 1_000;

export class Findings {
  readonly first: Finding[] = [];
  count = 0;
  /** Of these, what is said of documents that are whole and do not fit their schema. */
  misfits = 0;
  readonly #tell: (finding: Finding) => void;

  constructor(tell: (finding: Finding) => void) {
    this.#tell = tell;
  }

  /** @param isMisfit the document is whole, and does not fit its schema */
  add(finding: Finding, isMisfit = false): void {
    this.count += 1;
    if (isMisfit) this.misfits += 1;
    if (this.first.length === TOLD) return;
    this.first.push(finding);
    this.#tell(finding);
  }
}

export function lineOf({ realm, collection, id, reason }: Finding): string {
  const where = [realm, collection, id].filter((part) => part !== undefined).join(" ");
  return `${where}: ${reason}`;
}
