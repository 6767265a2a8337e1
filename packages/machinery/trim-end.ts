/**
 * A text without the characters at its end that are this one, as Go's strings.TrimRight. A pattern (`/x+$/`) would be tried
 * anew at each such character within the text: in the square of its length.
 */
export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
