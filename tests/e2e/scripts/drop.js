([type, name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    const options = { dataTransfer, bubbles: true, cancelable: true };
    document.querySelector("#stream").dispatchEvent(new DragEvent(type, options));
}
