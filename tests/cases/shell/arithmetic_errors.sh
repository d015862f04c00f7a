((a=)); echo $?; ((1+)); echo $?; (( 5 = 3 )); echo $?; let "1 +"; echo $?; [[ 1 -eq 1x ]]; echo $?; [[ x -eq 0 ]]; echo $?; [[ "1 +" -eq 1 ]]; echo $?; a[1 2]=3; echo $?; echo ${a[1 2]}; echo q
