import type { Transaction } from "../store/contract/transaction.ts";

export interface Mailer {
  /**
   * Queues a mail in the transaction of the change that causes it: it leaves, at least once, if, and only if, that is
   * committed. Call `realm.wakeJobs()` then. What cannot be delivered is tried again for some hours, then logged without
   * the text.
   * @param mail undefined: writes what another one would, and sends nothing
   */
  queue(transaction: Transaction, mail: Mail | undefined): Promise<void>;
}

export interface Mail {
  /** An address, or `Name <address>`. */
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text; links stand unbroken on lines of their own. */
  readonly text: string;
  /** The same as HTML, beside the text. */
  readonly html?: string | undefined;
}
