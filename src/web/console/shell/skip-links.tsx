export const contentId = "content";

/** For the keyboard: the first Tab stops of a page, seen only while they have the focus. */
export function SkipLinks() {
  const content = () => document.getElementById(contentId);
  const row = () => content()?.querySelector<HTMLElement>("tbody .row-link") ?? content();
  const skip = (label: string, target: () => HTMLElement | null | undefined) => (
    <a
      className="skip-link"
      href={`#${contentId}`}
      onClick={(event) => {
        // Without the router, which would take the fragment into the address.
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
