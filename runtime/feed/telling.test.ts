import { expect, test } from "vitest";
import { eq, type Filter } from "../filter/algebra.ts";
import { field } from "../filter/fields.ts";
import { Pace } from "../turns.ts";
import { FeedDocumentChange } from "./change.ts";
import { Follower } from "./follower.ts";
import { Interner } from "./interner.ts";
import { Renderings } from "./rendered.ts";
import { Telling } from "./telling.ts";

const [state, owner] = [field("state", "string"), field("owner", "string")];
const notes = (filter: Filter) => ({ collection: "app.notes", filter, visibility: "all" }) as const;

const stored = { id: "a", version: 1, text: JSON.stringify({ state: "open", owner: "ann" }) };
const change = new FeedDocumentChange(
  {
    recorded: "documents",
    position: "1",
    commit: "1",
    isLast: true,
    at: 0,
    collection: "app.notes",
    id: "a",
    after: stored,
  },
  new Renderings(),
);

const interner = new Interner();
const gathering = {
  interner,
  position: undefined,
  order: (at: string) => at,
  taken: () => undefined,
  left: () => undefined,
};

function followerOf(filter: Filter): Follower {
  const bounds = { bytes: 2 ** 20, events: 100, replay: 100 };
  return new Follower(gathering, [["notes", notes(filter)]], "0", bounds, {});
}

/** Tells the change in as many turns as there can be, with something done in the first of those between. */
async function toldWith(telling: Telling, between: () => void): Promise<void> {
  const rest = telling.tell(change, (follower, delivery) => {
    follower.queue.offer(delivery);
    return true;
  });
  expect(rest).toBeInstanceOf(Promise);
  between();
  await rest;
}

/** What a follower was told of the change. */
function concernsOf(follower: Follower): readonly string[] {
  const said: string[] = [];
  for (let event = follower.poll(); event !== undefined; event = follower.poll())
    if (event.kind === "commit")
      said.push(...event.deliveries.flatMap(({ concerns }) => concerns.map(({ key }) => key)));
  return said;
}

/** Every step is one turn. */
function slowTelling(): Telling {
  return new Telling(new Pace(0));
}

test("whoever says anew what they want to hear of while a change is told hears of it once", async () => {
  const telling = slowTelling();
  const open = eq(state, "open");
  const [one, other] = [followerOf(open), followerOf(open)];
  // The first has the interest for themselves, so that it is another one when it comes again.
  const alone = followerOf(eq(owner, "ann"));
  for (const each of [one, other, alone]) telling.enter(each);
  await toldWith(telling, () => {
    one.set("notes", notes(open));
    alone.set("notes", notes(eq(owner, "ann")));
    // What others want is another way to hear of it.
    other.set("notes", notes(eq(owner, "ann")));
  });
  expect([one, other, alone].map(concernsOf)).toEqual([["notes"], ["notes"], ["notes"]]);
});

test("what somebody wants by another name while a change is told counts from the next one on", async () => {
  const telling = slowTelling();
  const follower = followerOf(eq(state, "open"));
  telling.enter(follower);
  await toldWith(telling, () => {
    follower.delete("notes");
    follower.set("again", notes(eq(owner, "ann")));
  });
  expect(concernsOf(follower)).toEqual(["notes"]);
  await toldWith(telling, () => undefined);
  expect(concernsOf(follower)).toEqual(["again"]);
});

test("whoever comes while a change is told does not hear of it, and who goes is told nothing more", async () => {
  const telling = slowTelling();
  const [there, gone, late] = [
    followerOf(eq(state, "open")),
    followerOf(eq(owner, "ann")),
    followerOf(eq(state, "open")),
  ];
  telling.enter(there);
  telling.enter(gone);
  await toldWith(telling, () => {
    telling.leave(gone);
    telling.enter(late);
  });
  expect([there, gone, late].map(concernsOf)).toEqual([["notes"], [], []]);
  await toldWith(telling, () => undefined);
  expect([there, gone, late].map(concernsOf)).toEqual([["notes"], [], ["notes"]]);
});

test("who has taken what others are still being told of is not behind it", () => {
  const bounds = { bytes: 2 ** 20, events: 100, replay: 100 };
  const behind = { ...gathering, position: "0" };
  const follower = new Follower(behind, [["notes", notes(eq(state, "open"))]], "0", bounds, {});
  follower.queue.offer({ change, concerns: [{ key: "notes", before: false, after: true }] });
  follower.queue.reach(change.position);
  expect(concernsOf(follower)).toEqual(["notes"]);
  expect(follower.position).toBe("1");
  const ahead = new Follower({ ...gathering, position: "2" }, [], "1", bounds, {});
  expect(ahead.position).toBe("2");
});
