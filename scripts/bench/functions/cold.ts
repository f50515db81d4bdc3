import { middle } from "../middle.ts";
import { startGenerated } from "../servers.ts";
import type { Setting } from "../setting.ts";
import { Sender } from "./sender.ts";

/** Milliseconds after which the spare is there, at the latest. */
const STOCKED = 1_500;

/** The first call of a function, whose thread is the spare; of a server that has answered other requests before. */
export async function coldCalls({ place, bundle, rounds, report }: Setting): Promise<void> {
  const [first, second]: [number[], number[]] = [[], []];
  for (let start = 0; start < Math.max(3, rounds); start++) {
    const server = await startGenerated(bundle, place, "functions");
    const sender = new Sender(server);
    try {
      for (let n = 0; n < 50; n++) await sender.get("items?limit=1");
      // Loads what of the server itself functions need.
      await sender.post("_func/hook", {});
      await new Promise((resolve) => setTimeout(resolve, STOCKED));
      const body = { of: "cold", sent: 0 };
      first.push((await sender.post("_func/record", body)).time);
      second.push((await sender.post("_func/record", body)).time);
    } finally {
      sender.close();
      await server.stop();
    }
  }
  report.add("first call of a cold handler, with the spare, ms", middle(first), "under 60");
  report.add("the longest of them, ms", Math.max(...first), "");
  report.add("its second call, ms", middle(second), "");
}
