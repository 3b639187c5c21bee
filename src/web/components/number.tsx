import { formatNumber, formatShort } from "../lib/format.ts";

/** A number, abbreviated if it is large, with the exact value on hover. */
export function Figure({ value }: { value: number }) {
  return (
    <span className="number" title={formatNumber(value)}>
      {formatShort(value)}
    </span>
  );
}

/** The used part of a maximum, as a bar and in words. */
export function Meter({ label, used, max }: { label: string; used: number; max: number }) {
  const share = max > 0 ? used / max : used > 0 ? 1 : 0;
  const tone = share >= 1 ? "red" : share >= 0.8 ? "amber" : "accent";
  // Both numbers in one form: 1,961 of 10,000, or 12.3K of 10M.
  const format = Math.max(used, max) < 1_000_000 ? formatNumber : formatShort;
  const word =
    used > max ? " · over the limit" : share === 1 ? " · at the limit" : share >= 0.8 ? " · near the limit" : "";
  return (
    <div className="meter">
      <div className="row row-between small">
        <span className="strong truncate">{label}</span>
        <span className="number muted" title={`${formatNumber(used)} of ${formatNumber(max)}`}>
          {format(used)} of {format(max)}
          {word}
        </span>
      </div>
      <div className="meter-bar" data-tone={tone} aria-hidden>
        <i style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </div>
    </div>
  );
}
