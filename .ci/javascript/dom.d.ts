// What the scripts of console and demo take for granted of the elements of their pages.

interface Element extends HTMLOrSVGElement {
  setAttribute(name: string, value: string | number | boolean): void;
}
interface Document {
  getElementById(id: string): any;
}
interface EventTarget {
  closest(selectors: string): any;
  matches(selectors: string): boolean;
}
interface Event {
  readonly detail: any;
}
