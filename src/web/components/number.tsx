import { formatNumber, formatShort } from "../lib/format.ts";

/** A number, abbreviated if it is large, with the exact value on hover. */
export function Figure({ value }: { value: number }) {
  return (
    <span className="number" title={formatNumber(value)}>
      {formatShort(value)}
    </span>
  );
}

interface MeterProps {
  label: string;
  used: number;
  max: number;
  /** Usage beyond the maximum is billed: it is income, not an alarm. */
  isBilled?: boolean;
}

export function meterTone(share: number, isBilled = false): "red" | "amber" | "accent" {
  return isBilled || share < 0.8 ? "accent" : share >= 1 ? "red" : "amber";
}

/** The used part of a maximum, as a bar and in words. */
export function Meter({ label, used, max, isBilled = false }: MeterProps) {
  const share = max > 0 ? used / max : used > 0 ? 1 : 0;
  const tone = meterTone(share, isBilled);
  // Both numbers in one form: 1,961 of 10,000, or 12.3K of 10M.
  const format = Math.max(used, max) < 1_000_000 ? formatNumber : formatShort;
  const word =
    used > max
      ? isBilled
        ? " · the rest is billed"
        : " · over the limit"
      : isBilled
        ? ""
        : share === 1
          ? " · at the limit"
          : share >= 0.8
            ? " · near the limit"
            : "";
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
