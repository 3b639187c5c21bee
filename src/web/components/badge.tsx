import type { ReactNode } from "react";

export type Tone = "green" | "amber" | "red" | "accent" | "grey";

export function Badge({ tone = "grey", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}

interface TagsProps {
  tags: Record<string, string | number | boolean> | undefined;
  most?: number;
}

export function Tags({ tags, most = 6 }: TagsProps) {
  const entries = Object.entries(tags ?? {});
  if (entries.length === 0) return null;
  return (
    <span className="tags">
      {entries.slice(0, most).map(([name, value]) => (
        <span className="tag" key={name} title={`${name}: ${value}`}>
          <span>
            {name}: {String(value)}
          </span>
        </span>
      ))}
      {entries.length > most && (
        <span
          className="tag"
          title={entries
            .slice(most)
            .map((tag) => tag.join(": "))
            .join("\n")}
        >
          +{entries.length - most}
        </span>
      )}
    </span>
  );
}
