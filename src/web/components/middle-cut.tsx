/** Of an address, what tells it from others: the end of its path. */
const keptCharacters = 24;

/** A text on one line that, where it does not fit, is cut before its end instead of at it. */
export function MiddleCut({ text }: { text: string }) {
  const at = Math.max(0, text.length - keptCharacters);
  return (
    <span className="middle-cut" title={text}>
      {at > 0 && <span className="truncate">{text.slice(0, at)}</span>}
      <span>{text.slice(at)}</span>
    </span>
  );
}
