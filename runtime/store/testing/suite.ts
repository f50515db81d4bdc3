import { afterEach, beforeEach, describe } from "vitest";
import type { Store } from "../contract/store.ts";
import { describeAggregates } from "./suite/aggregate.ts";
import { describeChains } from "./suite/chain.ts";
import { describeDocuments } from "./suite/documents.ts";
import { describeFeed } from "./suite/feed.ts";
import { type Suite, shape, start, type Traits } from "./suite/fixtures.ts";
import { describeIndexes } from "./suite/indexes.ts";
import { describeLeases } from "./suite/leases.ts";
import { describeLookup } from "./suite/lookup.ts";
import { describeModify } from "./suite/modify.ts";
import { describeMoving } from "./suite/moving.ts";
import { describeOrder } from "./suite/order.ts";
import { describePages } from "./suite/pages.ts";
import { describeQueries } from "./suite/queries.ts";
import { describeRevisions } from "./suite/revisions.ts";
import { describeSearch } from "./suite/search.ts";
import { describeTextIndexes } from "./suite/text-indexes.ts";
import { describeTransactions } from "./suite/transactions.ts";

/** What an engine's tests hand to the suite. */
export interface OpenOptions {
  readonly clock: { now(): number };
  readonly queryTime: number;
}

/**
 * The tests of the store contract, the same for every engine. `open` opens an empty store; each test closes its own.
 */
export function describeStore(
  name: string,
  open: (options: OpenOptions) => Promise<Store>,
  traits: Traits,
): void {
  describe(name, () => {
    const clock = { time: start, now: () => clock.time };
    let store: Store;
    beforeEach(async () => {
      clock.time = start;
      store = await open({ clock, queryTime: 5_000 });
    });
    afterEach(() => store.close());

    const suite: Suite = {
      traits,
      clock,
      get store() {
        return store;
      },
      people: async (...indexes) => {
        await store.provision([shape("app.people", { indexes })]);
        return store.collection("app.people");
      },
    };
    describeDocuments(suite);
    describeModify(suite);
    describeQueries(suite);
    describeOrder(suite);
    describePages(suite);
    describeLookup(suite);
    describeChains(suite);
    describeIndexes(suite);
    describeTransactions(suite);
    describeLeases(suite);
    describeRevisions(suite);
    describeMoving(suite);
    describeFeed(suite);
    describeAggregates(suite);
    describeSearch(suite);
    describeTextIndexes(suite);
  });
}
