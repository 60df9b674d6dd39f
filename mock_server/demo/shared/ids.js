/** Ids as the service makes them. */

/** @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A new one: 24 digits. */
export const newId = () => hex(crypto.getRandomValues(new Uint8Array(12)));
