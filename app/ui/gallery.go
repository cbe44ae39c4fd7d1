package ui

// Gallery is every component in sample states.
func Gallery() PageView { return PageView{Screen: ScreenGallery} }
