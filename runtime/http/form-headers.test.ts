import { describe, expect, it } from "vitest";
import { boundaryIn, isFilePart, partHeaders } from "./form-headers.ts";

describe("The boundary of a form", () => {
  it.each([
    ["multipart/form-data; boundary=abc", "abc"],
    ['multipart/form-data; boundary="a b;c"', "a b;c"],
    ["multipart/form-data; charset=utf-8; Boundary=----x", "----x"],
    ["multipart/form-data;boundary=abc; boundary=second", "abc"],
  ])("%s", (header, boundary) => {
    expect(boundaryIn(header)).toBe(boundary);
  });

  it.each([
    "multipart/form-data",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="abc',
    `multipart/form-data; boundary=${"x".repeat(71)}`,
    'multipart/form-data; boundary="\u00e9"',
    "multipart/form-data; xboundary=abc",
  ])("%s is refused: invalid_header", (header) => {
    expect(() => boundaryIn(header)).toThrow(expect.objectContaining({ code: "invalid_header" }));
  });
});

describe("The headers of a part", () => {
  const said = (disposition: string) => partHeaders({ "content-disposition": [disposition] });

  it.each([
    ['form-data; name="a"', "a", undefined],
    ['form-data; name="a"; filename=""', "a", ""],
    ["form-data; name=a; filename=b.txt", "a", "b.txt"],
    ['Form-Data; NAME="a"; FileName="b;c.txt"', "a", "b;c.txt"],
    ['form-data; name="a"; filename="say \\"hi\\".txt"', "a", 'say "hi".txt'],
    ['form-data; name="a"; filename="C:\\dir\\b.txt"', "a", "C:\\dir\\b.txt"],
    ["form-data; name=\"a\"; filename=x; filename*=UTF-8''na%C3%AFve", "a", "UTF-8''na%C3%AFve"],
    ['form-data; name="\u00c3\u00a9"', "\u00e9", undefined],
  ])("%s", (disposition, name, filename) => {
    expect(said(disposition)).toMatchObject({ name, filename });
  });

  it("are those of no form's part without form-data and a name", () => {
    for (const disposition of [
      'attachment; name="a"',
      "form-data",
      'form-data; filename="a"',
      'form-datax; name="a"',
    ])
      expect(said(disposition)).toBeUndefined();
    expect(partHeaders({})).toBeUndefined();
  });

  it("are those of a file where it has a name, or is bytes without one", () => {
    const of = (filename: string | undefined, type: string | undefined) =>
      isFilePart({ name: "a", filename, type, encoding: undefined });
    expect([
      of("a.txt", undefined),
      of("a", "text/plain"),
      of(undefined, "Application/octet-stream; a=b"),
    ]).toEqual([true, true, true]);
    expect([
      of("", "application/octet-stream"),
      of(undefined, undefined),
      of(undefined, "text/plain"),
    ]).toEqual([false, false, false]);
  });

  it("tell an encoding only where the bytes are not the file's own", () => {
    const of = (encoding: string) =>
      partHeaders({ "content-disposition": ["form-data; name=a"], "content-transfer-encoding": [encoding] })
        ?.encoding;
    expect(["7bit", "8BIT", " binary ", ""].map(of)).toEqual([undefined, undefined, undefined, undefined]);
    expect(["base64", "quoted-printable"].map(of)).toEqual(["base64", "quoted-printable"]);
  });
});
