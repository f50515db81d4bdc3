import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ForeignWrite, StoreBusy, StoreUnavailable, TransactionTimeout } from "../../contract/errors.ts";
import { type Database, openDatabase } from "../driver.ts";
import { type StoreFile, storeFile } from "../file.ts";
import { Reads } from "../reads.ts";
import { Writer } from "./writer.ts";

let file: StoreFile;
let reads: Reads;
let writer: Writer;
let commits: number;
/** As another process would open the file. */
let other: Database;

beforeEach(() => {
  file = storeFile(":memory:", "writer");
  reads = new Reads(file);
  reads.writing.database.exec("CREATE TABLE things (name TEXT UNIQUE)");
  commits = 0;
  writer = new Writer(reads, () => commits++);
  other = openDatabase(file.path, { readOnly: false });
});
afterEach(async () => {
  if (other.isTransaction) other.exec("ROLLBACK");
  other.close();
  await writer.close();
  reads.close();
  file.remove();
});

const add = (name: string) => () => {
  reads.writing.prepare("INSERT INTO things VALUES (?)").run(name);
  return name;
};
const names = () =>
  other
    .prepare("SELECT name FROM things ORDER BY name")
    .all()
    .map((row) => row["name"]);

describe("group commit", () => {
  test("writes of one turn share a commit", async () => {
    expect(await Promise.all(["a", "b", "c"].map((name) => writer.write(add(name))))).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(commits).toBe(1);
    expect(names()).toEqual(["a", "b", "c"]);
  });

  test("writes and transactions run in the order in which they came", async () => {
    const order: string[] = [];
    await Promise.all([
      writer.write(() => order.push("1")),
      writer.transaction(async () => {
        order.push("2");
        await Promise.resolve();
        order.push("3");
      }),
      writer.write(() => order.push("4")),
    ]);
    expect(order.join("")).toBe("1234");
  });

  test("a group ends once it has taken long; the rest is the next one, in order", async () => {
    let time = 0;
    const slow = new Writer(reads, () => commits++, { now: () => time });
    const order: string[] = [];
    const work = (name: string, milliseconds: number) =>
      slow.transaction(async () => {
        time += milliseconds;
        order.push(`${name}${commits}`);
      });
    await Promise.all([work("a", 4), work("b", 6), work("c", 9), work("d", 100), work("e", 0)]);
    expect(order).toEqual(["a0", "b0", "c1", "d1", "e2"]);
    expect(commits).toBe(3);
  });

  test("between two groups the event loop turns", async () => {
    let time = 0;
    const slow = new Writer(reads, () => commits++, { now: () => (time += 10) });
    const seen: number[] = [];
    const look = () => {
      seen.push(commits);
      if (commits < 4) setImmediate(look);
    };
    setImmediate(look);
    await Promise.all(["a", "b", "c", "d"].map((name) => slow.write(add(name))));
    while (seen.at(-1) !== 4) await new Promise(setImmediate);
    expect([...new Set(seen)]).toEqual([0, 1, 2, 3, 4]);
  });

  test("what comes during a group goes into the next one", async () => {
    let late: Promise<string> | undefined;
    const first = writer.transaction(() => new Promise(setImmediate));
    setImmediate(() => setImmediate(() => (late = writer.write(add("late")))));
    await first;
    expect(commits).toBe(1);
    expect(await late).toBe("late");
    expect(commits).toBe(2);
  });

  test("nobody is told before the commit", async () => {
    let before: unknown;
    await Promise.all([
      writer.write(add("a")).then(() => {
        before = names();
      }),
      writer.transaction(async () => expect(names()).toEqual([])),
    ]);
    expect(before).toEqual(["a"]);
  });

  test("a failure affects only itself", async () => {
    const results = await Promise.allSettled([
      writer.write(add("a")),
      writer.write(add("a")),
      writer.write(add("b")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(names()).toEqual(["a", "b"]);
  });

  test("a transaction that throws takes nothing else with it", async () => {
    const results = await Promise.allSettled([
      writer.write(add("a")),
      writer.transaction(async () => {
        add("b")();
        throw new Error("stop");
      }),
      writer.write(add("c")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(names()).toEqual(["a", "c"]);
  });
});

describe("bytes that wait", () => {
  const full = new StoreBusy("writes");

  test("are bounded: what would be too much is refused, the rest is written, and then there is room again", async () => {
    const small = new Writer(reads, () => commits++, { queuedBytes: 100 });
    const results = await Promise.allSettled([
      small.write(add("a"), 60),
      small.transaction(async () => add("b")(), 41),
      small.write(add("c"), 40),
      small.write(add("d"), 1),
      small.write(add("e")),
    ]);
    expect(results.map((result) => (result.status === "fulfilled" ? result.value : result.reason))).toEqual([
      "a",
      full,
      "c",
      full,
      "e",
    ]);
    expect(await small.write(add("f"), 100)).toBe("f");
  });

  test("one that is larger than the bound is written where nothing else waits", async () => {
    const small = new Writer(reads, () => commits++, { queuedBytes: 100 });
    const [large, other] = [small.write(add("large"), 1_000), small.write(add("other"), 1)];
    await expect(other).rejects.toThrow(full);
    expect(await large).toBe("large");
  });

  test("are free again where a group is lost", async () => {
    const small = new Writer(reads, () => commits++, { queuedBytes: 100 });
    const lost = small.write(() => reads.writing.database.exec("ROLLBACK"), 100);
    await expect(lost).rejects.toThrow("undid");
    expect(await small.write(add("a"), 100)).toBe("a");
  });
});

describe("a transaction that awaits something else than its own operations", () => {
  const forever = () => new Promise<never>(() => undefined);

  test("is refused a write outside of it, which would wait for its end", async () => {
    const refused = writer.transaction(async () => {
      add("inside")();
      await Promise.resolve();
      await writer.write(add("outside"));
    });
    await expect(refused).rejects.toBeInstanceOf(ForeignWrite);
    const nested = writer.transaction(() => writer.transaction(async () => add("nested")()));
    await expect(nested).rejects.toBeInstanceOf(ForeignWrite);
    expect(names()).toEqual([]);
    expect(await writer.write(add("later"))).toBe("later");
  });

  test("ends when it takes too long: nothing of it is written, its group and later writes are", async () => {
    // Only the first of the two transactions takes its time, however slow the machine is.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const impatient = new Writer(reads, () => commits++, { transactionTime: 1 });
    const work = Promise.allSettled([
      impatient.write(add("before")),
      impatient.transaction(async () => {
        add("lost")();
        await forever();
      }),
      impatient.transaction(async (scope) => {
        await new Promise(setImmediate);
        scope.check();
        return add("kept")();
      }),
      impatient.write(add("after")),
    ]);
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
    vi.advanceTimersByTime(1);
    const results = await work;
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: expect.any(TransactionTimeout) });
    expect(names()).toEqual(["after", "before", "kept"]);
  });

  test("its operations are refused once it has ended", async () => {
    const impatient = new Writer(reads, () => commits++, { transactionTime: 1 });
    let go = () => {};
    const late = new Promise<void>((resolve) => (go = resolve));
    let outcome: unknown;
    const work = impatient.transaction(async (scope) => {
      await late;
      try {
        scope.check();
      } catch (error) {
        outcome = error;
      }
    });
    await expect(work).rejects.toBeInstanceOf(TransactionTimeout);
    go();
    await new Promise(setImmediate);
    expect(outcome).toMatchObject({ message: "the transaction has ended" });
  });

  test("a write that it asks for after a while is done once it has ended", async () => {
    const impatient = new Writer(reads, () => commits++, { transactionTime: 1 });
    let outside: Promise<string> | undefined;
    const work = impatient.transaction(async () => {
      await new Promise(setImmediate);
      outside = impatient.write(add("outside"));
      await outside;
    });
    await expect(work).rejects.toBeInstanceOf(TransactionTimeout);
    expect(await outside).toBe("outside");
  });

  test("others are not taken for its work: what they ask for meanwhile is written", async () => {
    const other = writer.transaction(() => new Promise(setImmediate));
    const meanwhile = new Promise<string>((resolve, reject) => {
      setImmediate(() => setImmediate(() => writer.write(add("meanwhile")).then(resolve, reject)));
    });
    await other;
    expect(await meanwhile).toBe("meanwhile");
  });

  test("the store is not well meanwhile, and closes all the same", async () => {
    const impatient = new Writer(reads, () => commits++, { transactionTime: 50, healthTime: 1 });
    await writer.check();
    const work = expect(impatient.transaction(forever)).rejects.toBeInstanceOf(TransactionTimeout);
    await expect(impatient.check()).rejects.toBeInstanceOf(StoreUnavailable);
    await impatient.close();
    await work;
  });
});

describe("a full disk", () => {
  test("rejects every write of the group, none of which is there afterwards; later writes work again", async () => {
    const { database } = reads.writing;
    const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const results = await Promise.allSettled([
      writer.write(add("a")),
      writer.write(add("x".repeat(100_000))),
      writer.write(add("b")),
      writer.transaction(async () => add("c")()),
    ]);
    const kept = names();
    // SQLite may undo the one statement or everything; what it did is what the writers are told.
    expect(results.map(({ status }) => status === "fulfilled")).toEqual(
      kept.length === 0 ? [false, false, false, false] : [true, false, true, true],
    );
    database.exec("PRAGMA max_page_count = 1000000");
    await writer.write(add("later"));
    expect(names()).toEqual([...kept, "later"]);
  });

  test("a transaction lost in the middle of a group fails the whole group, and nothing runs outside of one", async () => {
    const results = await Promise.allSettled([
      writer.write(add("a")),
      writer.write(() => reads.writing.database.exec("ROLLBACK")),
      writer.write(add("b")),
      writer.transaction(async () => add("c")()),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
    expect(names()).toEqual([]);
    expect(commits).toBe(0);
    await writer.write(add("later"));
    expect(names()).toEqual(["later"]);
  });
});

describe("another process writing beside", () => {
  test("writes wait without holding up the event loop, and go on when it is done", async () => {
    other.exec("BEGIN IMMEDIATE; INSERT INTO things VALUES ('theirs')");
    let done = false;
    const write = writer.write(add("ours")).then(() => {
      done = true;
    });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(done).toBe(false);
    expect(reads.reading().prepare("SELECT count(*) FROM things").all()).toEqual([[0]]);
    other.exec("COMMIT");
    await write;
    expect(names()).toEqual(["ours", "theirs"]);
  });

  test("StoreBusy for those who waited too long", async () => {
    const impatient = new Writer(reads, () => {}, { giveUpAfter: 0 });
    other.exec("BEGIN IMMEDIATE");
    await expect(impatient.write(add("ours"))).rejects.toBeInstanceOf(StoreBusy);
    other.exec("ROLLBACK");
    expect(await impatient.write(add("ours"))).toBe("ours");
  });

  test("its commits are noticed once, ours never", async () => {
    reads.foreignWrites();
    await writer.write(add("ours"));
    expect(reads.foreignWrites()).toBe(false);
    other.exec("INSERT INTO things VALUES ('theirs')");
    await new Promise(setImmediate);
    expect(reads.foreignWrites()).toBe(true);
    await new Promise(setImmediate);
    expect(reads.foreignWrites()).toBe(false);
  });

  test("reads see them from the next turn on", async () => {
    const count = () => reads.reading().prepare("SELECT count(*) FROM things").all();
    expect(count()).toEqual([[0]]);
    other.exec("INSERT INTO things VALUES ('theirs')");
    await new Promise(setImmediate);
    expect(count()).toEqual([[1]]);
  });
});

test("a closed writer refuses", async () => {
  await writer.close();
  await expect(writer.write(add("a"))).rejects.toThrow("closed");
});
