/** The sections of a golden file, by their titles. */
export function sectionsIn(text: string): ReadonlyMap<string, string> {
  const sections = text.split(/^# /m).filter((section) => section.trim() !== "");
  return new Map(
    sections.map((section) => {
      const [name = "", ...lines] = section.split("\n");
      return [name, lines.join("\n").trim()] as const;
    }),
  );
}
