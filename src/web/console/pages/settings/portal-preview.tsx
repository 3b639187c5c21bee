import type { CSSProperties } from "react";

/** How the head of the portal will look. The portal itself adjusts the colour where its contrast is too low. */
export function PortalPreview({
  form: { title, description, logo, accentColor },
}: {
  form: { title: string; description: string; logo: string | undefined; accentColor: string };
}) {
  const isColor = /^#[0-9a-f]{6}$/i.test(accentColor);
  const style = isColor ? { "--accent": accentColor, "--on-accent": inkOn(accentColor) } : {};
  return (
    <section className="portal-preview" aria-label="Preview" style={style as CSSProperties}>
      <div className="row portal-preview-head">
        {logo && <img className="portal-logo" src={logo} alt="" />}
        <strong className="truncate">{title || "Title"}</strong>
      </div>
      <div className="row portal-preview-nav" aria-hidden>
        <span data-current>Keys</span>
        <span>Usage</span>
        <span>Requests</span>
      </div>
      <div className="stack stack-tight portal-preview-body">
        <h2>{title || "Title"}</h2>
        {description && <p className="muted">{description}</p>}
        <div>
          <span className="button" data-kind="primary">
            Create key
          </span>
        </div>
      </div>
    </section>
  );
}

/** Black or white, whichever is easier to read. */
function inkOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? "#000000" : "#ffffff";
}
