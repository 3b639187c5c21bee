import type { ReactNode } from "react";

export type Tone = "green" | "amber" | "red" | "accent" | "grey";

export function Badge({ tone = "grey", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}

export function Tags({ tags }: { tags: Record<string, string | number | boolean> | undefined }) {
  const entries = Object.entries(tags ?? {});
  if (entries.length === 0) return null;
  return (
    <span className="tags">
      {entries.slice(0, 6).map(([name, value]) => (
        <span className="tag" key={name} title={`${name}: ${value}`}>
          <span>
            {name}: {String(value)}
          </span>
        </span>
      ))}
      {entries.length > 6 && <span className="tag">+{entries.length - 6}</span>}
    </span>
  );
}
