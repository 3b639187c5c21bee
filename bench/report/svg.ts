/** A picture for a page that may be light or dark; the picture follows what the reader prefers, with a ground of its own. */
export function svg(title: string, width: number, height: number, content: readonly string[]): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">
<title>${escapeText(title)}</title>
<style>${style}</style>
<rect class="ground" width="${width}" height="${height}" rx="8"/>
${[text(margin, margin + 12, title, "heading"), ...content].join("\n")}
</svg>
`;
}

export const margin = 20;
/** Where the content begins, below the title. */
export const contentTop = 58;
/** There is nothing to measure text with; this is a little more than what digits and small letters take at 12 pixels. */
export const characterWidth = 6.5;

const style = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .ground { fill: #ffffff; }
  .heading { font-weight: 600; font-size: 14px; }
  .quiet { fill: #636c76; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  .line { stroke: #d1d9e0; fill: none; }
  .ours { fill: #0969da; stroke: #0969da; }
  .theirs { fill: #9a6700; stroke: #9a6700; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .ground { fill: #0d1117; }
    .quiet { fill: #9198a1; }
    .line { stroke: #3d444d; }
    .ours { fill: #4493f8; stroke: #4493f8; }
    .theirs { fill: #d29922; stroke: #d29922; }
  }
`;

export function text(x: number, y: number, content: string, className = ""): string {
  return `<text x="${round(x)}" y="${round(y)}" class="${className}">${escapeText(content)}</text>`;
}

export function bar(x: number, y: number, width: number, height: number, className: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="2" class="${className}"/>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, className: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="${className}"/>`;
}

export function dot(x: number, y: number, className: string, attributes = ""): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="4.5" class="${className}" ${attributes}/>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
