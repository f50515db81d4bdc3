import type { JsonObject } from "../../../runtime/json.ts";
import type { Subscriber } from "./subscriber.ts";

/** What a subscriber holds otherwise than their own lists show it, in words; nothing of who has ended. */
export async function differencesOf(subscriber: Subscriber): Promise<readonly string[]> {
  if (subscriber.ended !== undefined) return [];
  const all = [...subscriber.states()].map(async ({ id, wanted, held }) => {
    const listed = await subscriber.list(wanted);
    if (listed === "broken") return [];
    const own = listed === "closed" ? new Map<string, JsonObject>() : listed;
    const ids = new Set([...own.keys(), ...held.keys()]);
    return [...ids].flatMap((each) => {
      const [has, shows] = [held.get(each), own.get(each)].map((one) => one && JSON.stringify(one));
      if (has === shows) return [];
      const of = `${subscriber.name}, ${id} ${JSON.stringify(wanted)}: ${each}`;
      return [`${of}\n  is held as ${has}\n  is listed as ${shows}`];
    });
  });
  return (await Promise.all(all)).flat();
}
