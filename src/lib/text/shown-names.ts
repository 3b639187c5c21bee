/**
 * Line breaks, bidirectional controls and characters without a width: they change how the text around a name reads, or make
 * two names look the same. Joiners and variation selectors stay, which some scripts and emoji need.
 */
const unshown =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u2800]|(?!\p{Join_Control}|[\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** What mail programs turn into a link. */
const link = /:\/\/|[\p{L}\p{N}][.\u3002\uff0e\uff61]\p{L}{2}/u;

/** Returns why a name is rejected that pages show. Undefined if it is accepted, or empty. */
export function nameError(name: string): string | undefined {
  if (unshown.test(name)) return "must be one line without control and invisible characters";
  return name === "" || visible.test(name) ? undefined : "must have a visible character";
}

/** Returns why a name is rejected that is in mail to others, who may not know the person that chose it. */
export function mailedNameError(name: string): string | undefined {
  return (
    nameError(name) ?? (link.test(name) ? "must not contain a link or a domain name, because it is in mail" : undefined)
  );
}
