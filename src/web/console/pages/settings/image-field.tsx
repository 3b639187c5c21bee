import { useRef, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/field.tsx";

const maxBytes = 256 * 1024;

interface ImageFieldProps {
  value: string | undefined;
  error: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A logo as a data URL. */
export function ImageField({ value, error, onChange }: ImageFieldProps) {
  const file = useRef<HTMLInputElement>(null);
  const [tooLarge, setTooLarge] = useState(false);
  const read = (chosen: File | undefined) => {
    if (!chosen) return;
    setTooLarge(chosen.size > maxBytes);
    if (chosen.size > maxBytes) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(chosen);
  };
  return (
    <Field
      label="Logo"
      isOptional
      hint="PNG, JPEG or WebP, at most 256 KiB. It is also the favicon."
      error={tooLarge ? "must be at most 256 KiB" : error}
    >
      {(ids) => (
        <span className="row row-wrap">
          {value && <img className="portal-logo" src={value} alt="The logo" />}
          <Button isSmall onClick={() => file.current?.click()}>
            {value ? "Replace image" : "Choose image"}
          </Button>
          {value && (
            <Button isSmall onClick={() => onChange(undefined)}>
              Remove
            </Button>
          )}
          <input
            {...ids}
            ref={file}
            className="visually-hidden"
            type="file"
            tabIndex={-1}
            accept="image/png,image/jpeg,image/webp"
            onChange={({ target }) => {
              read(target.files?.[0]);
              // The same file can be chosen again after it was removed.
              target.value = "";
            }}
          />
          {/* The whole image would be compared with each key. */}
          <input type="hidden" value={value ? `${value.length} ${value.slice(-64)}` : ""} />
        </span>
      )}
    </Field>
  );
}
