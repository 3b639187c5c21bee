/** The end of a URL's path distinguishes it from others, so the end is kept. */
const keptCharacters = 20;

/** A text on one line that is truncated before its end if it does not fit. */
export function MiddleCut({ text }: { text: string }) {
  const at = Math.max(0, text.length - keptCharacters);
  return (
    <span className="middle-cut" title={text}>
      {at > 0 && <span className="truncate">{text.slice(0, at)}</span>}
      <span>{text.slice(at)}</span>
    </span>
  );
}
