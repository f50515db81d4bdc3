/** The part of the package that we use; it brings no types. */
declare module "snowball-stemmers" {
  const snowball: {
    /** @throws Error for an algorithm that there is none of */
    newStemmer(algorithm: string): { stem(word: string): string };
  };
  export default snowball;
}
