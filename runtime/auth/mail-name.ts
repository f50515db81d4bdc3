/**
 * Names that people chose, as mails of the server carry them: nothing that a mail program makes a link or an address of,
 * and nothing that changes how the rest of the mail reads, so that nobody sends words of their own to strangers.
 */

/** UTF-16 units of a name that mails carry, its ellipsis included. */
export const longestMailName = 60;

/** UTF-16 units of what is looked at: names in profiles have no bound of their own. */
const longestLookedAt = 400;

/** Bidirectional marks, joiners, tags, fillers, unassigned ones. */
const invisible = /[\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}]+/gu;
const breaks = /[\p{Cc}\p{Z}]+/gu;

/** What of a word makes it a link or an address. */
const linking = ["@", "://", "www.", "mailto:"] as const;

/** What names keep beside letters, marks and digits. A dot stays where nothing follows it, as in "Inc." */
const foreign = /[^\p{L}\p{M}\p{N} .,&+'’!()·・–-]|\.(?=\S)/gu;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The name as a mail may carry it; undefined where nothing is left of it. */
export function mailName(name: string): string | undefined {
  const plain = name.slice(0, longestLookedAt).normalize("NFKC").replace(invisible, "").replace(breaks, " ");
  const words = plain.split(" ").filter((word) => !isLink(word));
  const clean = words.join(" ").replace(foreign, " ").replace(/ +/g, " ").trim();
  return /[\p{L}\p{N}]/u.test(clean) ? shortened(clean) : undefined;
}

/** Whether it is a link, an address, or a path of a host. */
function isLink(word: string): boolean {
  const plain = word.toLowerCase();
  const dot = plain.indexOf(".");
  return linking.some((part) => plain.includes(part)) || (dot !== -1 && plain.includes("/", dot));
}

/** Cut between characters as people count them. */
function shortened(text: string): string | undefined {
  if (text.length <= longestMailName) return text;
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    if (kept.length + segment.length >= longestMailName) break;
    kept += segment;
  }
  while (/[ .,]/.test(kept.at(-1) ?? "")) kept = kept.slice(0, -1);
  return /[\p{L}\p{N}]/u.test(kept) ? `${kept}…` : undefined;
}
