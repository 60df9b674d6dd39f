module example.com/pins

go 1.19
