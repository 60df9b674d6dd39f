module example.com/steer

go 1.19

require example.com/admin v0.0.0

replace example.com/admin => ./admin
