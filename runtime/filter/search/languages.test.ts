import { describe, expect, test } from "vitest";
import { analysisFor } from "./analysis.ts";
import { stemmerFor } from "./languages.ts";

/** Groups of forms with one stem each. */
const forms: Readonly<Record<string, readonly string[]>> = {
  ar: ["كتاب الكتاب كتابان"],
  ca: ["gat gats", "parlar parlant"],
  cs: ["kniha knihy knihu"],
  da: ["hus huse husene huset", "undersøge undersøgelse"],
  de: ["Haus Häuser Hauses HÄUSERN", "laufen laufe", "Straße STRASSE"],
  el: ["άνθρωπος άνθρωποι ανθρώπους"],
  en: ["connect connected connecting connection connections", "happy happiness", "run running runs"],
  es: ["libro libros", "hablar hablando hablaron"],
  eu: ["etxe etxeak etxeen", "liburu liburuak"],
  fi: ["talo talossa talot talon", "kirja kirjat kirjassa"],
  fr: ["maison maisons", "cheval chevaux", "continuel continuellement"],
  ga: ["cat gcat chat"],
  hi: ["किताब किताबें किताबों", "लड़का लड़के लड़की"],
  hu: ["ház házak házban házat", "könyv könyvek könyvet"],
  hy: ["քաղաք քաղաքներ քաղաքի"],
  id: ["makan makanan dimakan", "buku bukunya"],
  it: ["libro libri", "parlare parlando parlato"],
  lt: ["knyga knygos knygų", "namas namai"],
  nb: ["hus huset husene", "bil biler bilene"],
  ne: ["किताब किताबहरू किताबको"],
  nl: ["boek boeken", "lopen loop"],
  pt: ["livro livros", "falar falando falou"],
  ro: ["casă casele case"],
  ru: ["книга книги книгу книгой", "ёлка елка"],
  sa: ["rāmaḥ rāmam"],
  sl: ["knjiga knjige knjigo"],
  sr: ["knjiga knjige knjigu књига"],
  sv: ["flicka flickor flickorna", "bil bilar bilen"],
  ta: ["புத்தகம் புத்தகங்கள்"],
  tr: ["kitap kitaplar", "ev evler evlerinizden", "IŞIK ışık"],
  uk: ["книга книги книгу", "радість радістю"],
};

describe("Full-text search 4: languages", () => {
  test.each(Object.entries(forms))("%s", (locale, groups) => {
    const analysis = analysisFor(locale);
    const stems = groups.map((group) => new Set(analysis.words(group).map(analysis.stem)));
    for (const [at, group] of stems.entries()) expect([...group], groups[at]).toHaveLength(1);
    // Not everything is one stem.
    expect(new Set(stems.flatMap((group) => [...group]))).toHaveProperty("size", groups.length);
  });

  test.each([
    ["en-GB", "en"],
    ["de_AT", "de"],
    ["nn", "nb"],
    ["no", "nb"],
    ["pt-BR", "pt"],
    ["sr-Cyrl", "sr"],
  ])("%s is stemmed as %s", (locale, language) => {
    expect(stemmerFor(locale)).toBeDefined();
    expect(stemmerFor(locale)).toBe(stemmerFor(language));
  });

  test.each(["none", "ja", "gsw", "xx-YY", "", "no language", "bg"])("%j is not stemmed", (locale) => {
    const { words, stem } = analysisFor(locale);
    expect(words("Running Häuser").map(stem)).toEqual(["running", "häuser"]);
  });

  test("a word has one stem, whatever was stemmed before", () => {
    for (const [locale, groups] of Object.entries(forms)) {
      const stem = stemmerFor(locale);
      const words = analysisFor(locale).words(groups.join(" "));
      const first = words.map((word) => stem?.(word));
      const again = words.toReversed().flatMap((word) => [stem?.(word), stem?.(word)]);
      expect(again, locale).toEqual(first.toReversed().flatMap((found) => [found, found]));
    }
  });

  test("no word breaks a stemmer, and every stem is a word", () => {
    const odd = [
      "a",
      "1",
      "constructor",
      "__proto__",
      "\u{10428}",
      "ß",
      "東",
      "ab1",
      "x".repeat(64),
      "ение",
      "овци",
      "yyy",
    ];
    for (const locale of Object.keys(forms)) {
      const stem = stemmerFor(locale);
      const all = Object.values(forms).flatMap((groups) => analysisFor(locale).words(groups.join(" ")));
      for (const word of [...odd, ...all])
        expect(stem?.(word), `${locale} ${word}`).toMatch(/^[\p{L}\p{M}\p{N}_]+$/u);
    }
  });
});
