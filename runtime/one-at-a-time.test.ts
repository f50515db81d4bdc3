import { expect, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

/** Work whose runs end when they are told to. */
function held() {
  const ends: { readonly go: () => void; readonly fail: (error: Error) => void }[] = [];
  let underway = 0;
  let most = 0;
  const run = oneAtATime(async () => {
    underway += 1;
    most = Math.max(most, underway);
    try {
      await new Promise<void>((go, fail) => ends.push({ go, fail }));
    } finally {
      underway -= 1;
    }
  });
  return { ends, run, most: () => most };
}

test("calls that come while it runs share one more run, which begins after it", async () => {
  const { ends, run, most } = held();
  const first = run();
  // Asked for when the first has ended and the next has not begun.
  const between = first.then(run);
  const later = [run(), run(), run()];
  expect(ends).toHaveLength(1);
  ends[0]?.go();
  await first;
  expect(ends).toHaveLength(2);
  ends[1]?.go();
  await Promise.all([between, ...later]);
  expect([ends.length, most()]).toEqual([2, 1]);
  const last = run();
  ends[2]?.go();
  await last;
  expect(ends).toHaveLength(3);
});

test("a run that fails fails those who asked for it, and the next one begins all the same", async () => {
  const { ends, run } = held();
  const first = run();
  const later = run();
  ends[0]?.fail(new Error("unavailable"));
  await expect(first).rejects.toThrow("unavailable");
  ends[1]?.go();
  await later;
  expect(ends).toHaveLength(2);
});
