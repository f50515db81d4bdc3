import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StoreBusy } from "../contract.ts";
import { type Database, openDatabase } from "./driver.ts";
import { type StoreFile, storeFile } from "./file.ts";
import { Reads } from "./reads.ts";
import { GROUP_WRITES, Writer } from "./writer.ts";

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

  test("a group ends once it has written much; the rest is the next one, in order", async () => {
    const order: string[] = [];
    const work = (name: string, writes: number) =>
      writer.transaction(async () => {
        for (let write = 0; write < writes; write++) writer.wrote();
        order.push(`${name}${commits}`);
      });
    await Promise.all([
      work("a", 1),
      work("b", GROUP_WRITES),
      work("c", GROUP_WRITES - 1),
      work("d", 1),
      work("e", 0),
    ]);
    expect(order).toEqual(["a0", "b0", "c1", "d1", "e2"]);
    expect(commits).toBe(3);
  });

  test("what comes during a group goes into the next one", async () => {
    let late: Promise<string> | undefined;
    await writer.transaction(async () => {
      late = writer.write(add("late"));
    });
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
    const impatient = new Writer(reads, () => {}, { retryAfter: 1, giveUpAfter: 0 });
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
