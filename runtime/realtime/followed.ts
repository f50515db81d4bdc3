import { collectionOf } from "../documents/collection.ts";
import { isHidden, mayHide } from "../documents/query/hidden.ts";
import type { FeedDocumentChange } from "../feed/change.ts";
import type { Interest } from "../feed/interests.ts";
import type { Concerned } from "../feed/queue.ts";
import { and, FALSE, type Filter, isIn } from "../filter/algebra.ts";
import { type Field, organizationFields } from "../filter/fields.ts";
import { asksFor } from "../filter/named.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import { removed, shown } from "./frames.ts";
import type { Sight } from "./sight.ts";
import type { Subscription } from "./subscription.ts";
import type { Borne } from "./tokens.ts";

/** A subscription of a stream, as its caller may see it now. */
export class Followed {
  readonly subscription: Subscription;
  /** What the follower calls it: another name each time it is loaded anew, so that what was queued before is known. */
  key: string;
  readonly #realm: RealmInstance;
  /** Changes up to there were before it; undefined: none that it hears of were. See `ChangeFeed.order`. */
  readonly #since: string | undefined;
  /** Its place in the stream. */
  readonly at: number;
  #epoch = 0;
  #sight: Sight;

  constructor(
    realm: RealmInstance,
    subscription: Subscription,
    sight: Sight,
    at: number,
    since: string | undefined,
  ) {
    this.subscription = subscription;
    this.#realm = realm;
    this.#sight = sight;
    this.at = at;
    this.#since = since;
    this.key = `${at}.0`;
  }

  get sight(): Sight {
    return this.#sight;
  }

  /** As tokens bear it. */
  get borne(): Borne {
    const { identity, definition } = this.subscription;
    return { identity, definition, key: this.#sight.exact };
  }

  get interest(): Interest {
    return {
      collection: this.subscription.collection,
      filter: this.#within(this.#sight.filter),
      visibility: "live",
    };
  }

  /**
   * The documents of a filter that the subscription asks for: none where it asks for a field that is hidden from the caller by
   * now. What entered and left would tell of its values; whoever loads the subscription anew is refused.
   */
  #within(filter: Filter): Filter {
    const { definition, wanted } = this.subscription;
    const { access } = this.#sight;
    const isHiddenNow = ({ path }: Field) => isHidden(definition, access, path);
    return mayHide(definition, access) && asksFor(wanted, isHiddenNow) ? FALSE : and(filter, wanted);
  }

  /** Takes what the caller may see now; whoever has what was before has to load it anew. */
  renew(sight: Sight): void {
    this.#sight = sight;
    this.#epoch += 1;
    this.key = `${this.at}.${this.#epoch}`;
  }

  /** The same, where nothing has changed for the subscription itself. */
  keep(sight: Sight): void {
    this.#sight = sight;
  }

  /** Whether there are documents of some of these organizations among it, withheld or not. */
  async hasOf(orgs: readonly string[]): Promise<boolean> {
    const { definition } = this.subscription;
    const filter = and(this.#within(this.#sight.own), isIn(organizationFields["_meta.org"], orgs));
    if (filter.op === "false") return false;
    const { documents } = collectionOf(this.#realm, definition);
    return (await documents.find({ filter, visibility: "live", limit: 1, skip: 0 })).length > 0;
  }

  /** Whether it tells of a change: not where that was before the subscription began. */
  tells({ position }: FeedDocumentChange): boolean {
    if (this.#since === undefined) return true;
    const order = this.#realm.store.feed.order(position);
    return order === undefined || order > this.#since;
  }

  event(change: FeedDocumentChange, { before, after }: Concerned, token: string | undefined): string {
    const { id } = this.subscription;
    if (after && change.after !== undefined) {
      return shown(
        before === false ? "created" : "updated",
        id,
        this.#text(change, change.after.stored),
        token,
      );
    }
    const last = change.after ?? change.before;
    const version = last === undefined || last === "unknown" ? 0 : last.stored.version;
    return removed(id, change.id, version, token);
  }

  /** The document as a read returns it to this caller, made once for all who see the same of it. */
  #text(change: FeedDocumentChange, stored: StoredDocument): string {
    const { view, access } = this.#sight;
    if (view === "") return stored.text;
    const { view: seen } = collectionOf(this.#realm, this.subscription.definition);
    return change.rendered(`view ${view}`, () => Buffer.from(seen(access, stored).text)).toString();
  }
}
