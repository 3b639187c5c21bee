export const contentId = "content";

/** The first Tab stops of a page, visible only while focused. */
export function SkipLinks() {
  const content = () => document.getElementById(contentId);
  const row = () => content()?.querySelector<HTMLElement>("tbody .row-link") ?? content();
  const skip = (label: string, target: () => HTMLElement | null | undefined) => (
    <a
      className="skip-link"
      href={`#${contentId}`}
      onClick={(event) => {
        // Bypasses the router, which would add the fragment to the URL.
        event.preventDefault();
        target()?.focus();
      }}
    >
      {label}
    </a>
  );
  return (
    <>
      {skip("Skip to content", content)}
      {skip("Skip to the first row", row)}
    </>
  );
}
